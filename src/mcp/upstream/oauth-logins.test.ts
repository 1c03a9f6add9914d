import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HttpUpstream } from '../../../test/fixtures/http-upstream.ts'
import { serveHttp } from '../../../test/fixtures/http-upstream.ts'
import { serveOAuth } from '../../../test/fixtures/oauth-upstream.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { hearing, request } from '../../../test/fixtures/transport-listener.ts'
import { createHttpTransport } from './http-transport.ts'
import { createUpstreamLogins } from './oauth-logins.ts'
import type { UpstreamLogins } from './oauth-logins.ts'
import { NotSent } from './transport.ts'
import type { OAuthClient } from './upstream.ts'

test('a person logs in once; the token is used, refreshed when it is too old, and outlives the hub', async () => {
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

test('while a person is on the way nobody begins another login', async () => {
  const { upstream, logins, wanted } = await setUp()
  const { call } = await open(upstream, logins)
  const refusal = call()
  await expect(refusal).rejects.toBeInstanceOf(NotSent)
  await expect(call()).rejects.toBeInstanceOf(NotSent)
  expect(wanted).toHaveLength(1)
})

test('a person who was away while the hub was started anew is still expected', async () => {
  const { upstream, logins, wanted, directory } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  const restarted = createLogins(directory, wanted)
  expect(await restarted.finish(upstream.logIn(wanted[0]!))).toBe('trains')
  expect(await (await open(upstream, restarted)).call()).toEqual({ fine: true })
})

test('an upstream that offers no login is told with what would help', async () => {
  const upstream = await serveHttp(({ response }) => response.writeHead(401).end())
  const { logins } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow(/^The login of "trains" failed: .*put a token into the headers of the connector/)
})

test('a code that comes with another state than the one sent is not used', async () => {
  const { upstream, logins, wanted } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  const { code } = upstream.logIn(wanted[0]!)
  await expect(logins.finish({ code, state: 'forged' })).rejects.toThrow('Nobody waits for this login any more')
  expect(upstream.grants).toEqual([])
})

test('a code that the upstream refuses fails with a sentence, and the login can be begun again', async () => {
  const { upstream, logins, wanted } = await setUp()
  const { call } = await open(upstream, logins)
  await expect(call()).rejects.toThrow('log in')
  const { state } = upstream.logIn(wanted[0]!)
  await expect(logins.finish({ code: 'made up', state })).rejects.toThrow('The login of "trains" failed')
  await expect(call()).rejects.toThrow('log in')
  await logins.finish(upstream.logIn(wanted[1]!))
  expect(await call()).toEqual({ fine: true })
})

test('credentials lie in a file for the owner alone, are not used for another address, and can be forgotten', async () => {
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

test('who needs more rights asks for them together with those that it has', async () => {
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

test('where nobody can register, the client of the connector logs in, and its secret is kept in no file', async () => {
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

test('where the login has moved, a person is sent to the new place, and nothing of the old is told there', async () => {
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

test('the client of a connector is told to the place where it first logged in, and to no other', async () => {
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

async function setUp(options: { readonly registers?: boolean } = {}) {
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
