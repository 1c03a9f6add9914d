import { existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HttpUpstream } from '../../test/worlds/http-upstream.ts'
import { serveHttp } from '../../test/worlds/http-upstream.ts'
import { serveOAuth } from '../../test/worlds/oauth-upstream.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { hearing, request } from '../../test/fixtures/transport-listener.ts'
import { createHttpTransport } from './http-transport.ts'
import { openCredentialsFile } from './oauth-file.ts'
import { createUpstreamLogins } from './oauth-logins.ts'
import type { UpstreamLogins } from './oauth-logins.ts'
import { NotSent } from './transport.ts'
import type { OAuthClient } from './upstream-types.ts'

test('a person logs in once, and the token is used, refreshed when it expires, and kept across hubs', async () => {
  const { upstream, logins, wanted, directory } = await setUp()
  const first = await open(upstream, logins)
  await expect(first.call()).rejects.toThrow('A person has to log in at the upstream of "trains" first.')
  expect(wanted).toHaveLength(1)
  expect(logins.pending('trains')).toBe(wanted[0])

  expect(await logins.finish(upstream.logIn(wanted[0]!))).toBe('trains')
  expect(logins.pending('trains')).toBeUndefined()
  expect(await first.call()).toEqual({ fine: true })

  upstream.expireTokens()
  const answers = await Promise.all([first.call(), first.call(), first.call()])
  expect(answers).toHaveLength(3)
  expect(upstream.grants).toEqual(['authorization_code', 'refresh_token'])

  const later = await open(upstream, createLogins(directory, wanted))
  expect(await later.call()).toEqual({ fine: true })
  expect(wanted).toHaveLength(1)
})

test.each(['file:///etc/passwd', 'calculator:open', 'javascript:alert(1)'])(
  'a person is not sent to the login page %s',
  async (loginPage) => {
    const { upstream, logins, wanted, directory } = await setUp({ loginPage })
    const { call } = await open(upstream, logins)
    await expect(call()).rejects.toThrow('The login of "trains" failed')
    expect(wanted).toEqual([])
    expect(logins.pending('trains')).toBeUndefined()
    const address = `${loginPage}?state=s`
    const begun = { state: 's', verifier: 'v', address, at: Date.now(), zone: 'machine' } as const
    openCredentialsFile({ directory, connector: 'trains', url: upstream.url }).change({ login: begun })
    expect(createLogins(directory, wanted).pending('trains')).toBeUndefined()
  },
)

test('a person is not sent to a long address', async () => {
  const { upstream, logins, wanted } = await setUp()
  upstream.demand('s'.repeat(8_100))
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('The address of the login page must be a text of at most 8192 characters')
  expect(wanted).toEqual([])
  expect(logins.pending('trains')).toBeUndefined()
})

test('no other login starts while a person is logging in', async () => {
  const { upstream, logins, wanted } = await setUp()
  const { call } = await open(upstream, logins)
  const refusal = call()
  await expect(refusal).rejects.toBeInstanceOf(NotSent)
  await expect(call()).rejects.toBeInstanceOf(NotSent)
  expect(wanted).toHaveLength(1)
})

test('a login is still pending after the hub restarted while the person was away', async () => {
  const { upstream, logins, wanted, directory } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  const restarted = createLogins(directory, wanted)
  expect(await restarted.finish(upstream.logIn(wanted[0]!))).toBe('trains')
  expect(await (await open(upstream, restarted)).call()).toEqual({ fine: true })
})

test('the error for an upstream that offers no login says what would help', async () => {
  const upstream = await serveHttp(({ response }) => response.writeHead(401).end())
  const { logins } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow(/^The login of "trains" failed: .*put a token into the headers of the connector/)
})

test('a code with another state than the one sent is not used', async () => {
  const { upstream, logins, wanted } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  const { code } = upstream.logIn(wanted[0]!)
  await expect(logins.finish({ code, state: 'forged' })).rejects.toThrow('This login is no longer pending')
  expect(upstream.grants).toEqual([])
})

test('a code that the upstream refuses fails with a sentence, and the login can be started again', async () => {
  const { upstream, logins, wanted } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  const { state } = upstream.logIn(wanted[0]!)
  await expect(logins.finish({ code: 'made up', state })).rejects.toThrow('The login of "trains" failed')
  await expect(call()).rejects.toThrow('log in')
  await logins.finish(upstream.logIn(wanted[1]!))
  expect(await call()).toEqual({ fine: true })
})

test('credentials are in a file for the owner alone, are not used for another address, and can be removed', async () => {
  const { upstream, logins, wanted, directory } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  await logins.finish(upstream.logIn(wanted[0]!))
  const file = join(directory, 'trains.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  const { token } = logins.of({ name: 'trains', url: upstream.url })
  expect(token).toBeDefined()
  expect(readFileSync(file, 'utf8')).toContain(token)

  expect(logins.of({ name: 'trains', url: 'https://elsewhere.example/mcp' }).token).toBeUndefined()
  logins.of({ name: 'trains', url: upstream.url })
  logins.forget('trains')
  expect(logins.of({ name: 'trains', url: upstream.url }).token).toBeUndefined()
})

test('a removed connector leaves nothing behind, even if it was not used since the hub started', async () => {
  const { upstream, logins, wanted, directory } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  await logins.finish(upstream.logIn(wanted[0]!))
  createLogins(directory, wanted).forget('trains')
  expect(existsSync(join(directory, 'trains.json'))).toBe(false)
})

test('credentials that cannot be read are not overwritten', () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'trains.json')
  symlinkSync(path, path)
  const file = openCredentialsFile({ directory, connector: 'trains', url: 'https://trains.example/mcp' })
  expect(() => file.change({ tokens: undefined })).toThrow('ELOOP')
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
})

test('a request for more rights includes the existing rights', async () => {
  const { upstream, logins, wanted } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  await logins.finish(upstream.logIn(wanted[0]!))
  expect(await call()).toEqual({ fine: true })

  upstream.demand('write')
  await expect(call()).rejects.toThrow('log in')
  expect(new URL(wanted[1]!).searchParams.get('scope')).toBe('read write')
  await logins.finish(upstream.logIn(wanted[1]!))
  expect(await call()).toEqual({ fine: true })
})

test('without client registration, the client of the connector logs in, and its secret is not stored in a file', async () => {
  const { upstream, logins, wanted, directory } = await setUp({ registers: false })
  const plain = await open(upstream, logins)
  await expect(plain.call()).rejects.toThrow(
    'does not support dynamic client registration. Register a client there that comes back to http://127.0.0.1:5010/oauth',
  )

  const client = { id: 'the-hub', secret: 'of the hub' }
  const { call } = await open(upstream, logins, client)
  await expect(call()).rejects.toThrow('log in')
  expect(new URL(wanted[0]!).searchParams.get('client_id')).toBe('the-hub')
  await logins.finish(upstream.logIn(wanted[0]!))
  expect(await call()).toEqual({ fine: true })
  expect(upstream.clients).toEqual(['the-hub:of the hub'])
  expect(readFileSync(join(directory, 'trains.json'), 'utf8')).not.toContain('of the hub')
})

test('when the authorization server has moved, a person is sent to the new one, and it gets nothing of the old one', async () => {
  const { upstream, logins, wanted } = await setUp()
  const elsewhere = await serveOAuth()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  await logins.finish(upstream.logIn(wanted[0]!))

  upstream.moveLoginTo(elsewhere.origin)
  upstream.expireTokens()
  await expect(call()).rejects.toThrow('log in')
  expect(wanted[1]).toMatch(elsewhere.origin)
  expect(elsewhere.clients).toEqual([])
})

test('the client of a connector is sent only to the authorization server of its first login', async () => {
  const { upstream, logins, wanted } = await setUp()
  const elsewhere = await serveOAuth()
  const { call } = await open(upstream, logins, { id: 'the-hub', secret: 'of the hub' })
  await expect(call()).rejects.toThrow('log in')
  await logins.finish(upstream.logIn(wanted[0]!))

  upstream.moveLoginTo(elsewhere.origin)
  upstream.expireTokens()
  await expect(call()).rejects.toThrow('The login of "trains" failed')
  expect(wanted).toHaveLength(1)
  expect(elsewhere.clients).toEqual([])
})

test('endless metadata is cut off, and the login fails', async () => {
  let sent = 0
  const upstream = await serveHttp(({ path, response }) => {
    if (path === '/mcp') return response.writeHead(401).end()
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) sent += 10_000
    }
    response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more)
    more()
  })
  const { logins } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('answered with more than 1048576 bytes')
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

async function setUp(options: Parameters<typeof serveOAuth>[0] = {}) {
  const upstream = await serveOAuth(options)
  const directory = join(temporaryDirectory(), 'upstream-auth')
  const wanted: string[] = []
  return { upstream, directory, wanted, logins: createLogins(directory, wanted) }
}

function createLogins(directory: string, wanted: string[]): UpstreamLogins {
  return createUpstreamLogins({
    directory,
    redirectUrl: 'http://127.0.0.1:5010/oauth/callback',
    onLoginWanted: (_connector, address) => void wanted.push(address),
  })
}

async function open({ url }: HttpUpstream, logins: UpstreamLogins, client?: OAuthClient) {
  const transport = createHttpTransport({ url, headers: {}, auth: logins.of({ name: 'trains', url, client }) })
  onTestFinished(() => transport.close())
  const heard = hearing()
  await transport.start(heard)
  let id = 0
  return {
    async call(): Promise<unknown> {
      const call = request(++id, 'tools/call')
      await transport.send(call)
      return heard.result(call.id)
    },
  }
}
