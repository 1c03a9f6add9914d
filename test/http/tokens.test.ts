/** Authentication: 401 and 429, what each role sees, toolsets, and where a token must never be stored. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shippedHub } from '../worlds/hub-process.ts'
import { exchange } from './exchange.ts'
import { connectLegacy } from './legacy-connection.ts'
import { modern } from './modern-request.ts'
import { type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { hello, openSsePair } from './sse-pair.ts'
import { toolsOfEvents } from './tools-of-events.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub({ program: shippedHub, env: { SIGNALBOX_LOG_LEVEL: 'debug' } })))
afterAll(() => hub[Symbol.asyncDispose]())

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('the hub answers 401 with a challenge', () => {
  test('on every route', async () => {
    const routes = [
      { body: list },
      { method: 'GET' },
      { method: 'DELETE' },
      { method: 'PUT' },
      { path: '/mcp/', body: list },
      { path: '/mcp?toolsets=all', body: list },
      { path: '/sse', method: 'GET' },
      { path: '/messages?connection=x', body: list },
    ]
    for (const route of routes) {
      const { status, headers, body } = await exchange(hub, { ...route, token: null, from: '127.0.0.2' })
      expect([route, status]).toEqual([route, 401])
      expect(headers['www-authenticate']).toMatch(/^Bearer\b/)
      expect(body).toMatchObject({ error: { message: expect.stringContaining('Authorization') } })
    }
  })

  test('for every token that it did not issue', async () => {
    const [, role, id, secret = ''] = /^sb_(human)_(\w+?)_(.+)$/.exec(hub.token) ?? []
    const other = secret.startsWith('A') ? `B${secret.slice(1)}` : `A${secret.slice(1)}`
    const wrong = [
      'Bearer',
      'Bearer ',
      'Basic Zm9vOmJhcg==',
      hub.token,
      `Bearer ${hub.token} ${hub.token}`,
      `Bearer ${hub.token.slice(0, -1)}`,
      `Bearer ${hub.token}A`,
      `Bearer sb_${role}_${id}_${other}`,
      `Bearer sb_agent_${id}_${secret}`,
      `Bearer sb_${role}_000000000000_${secret}`,
      `Bearer ${secret}`,
      'Bearer ../../token',
      `Bearer ${'x'.repeat(8_000)}`,
    ]
    for (const authorization of wrong) {
      const { status, headers } = await exchange(hub, { body: list, headers: { authorization }, from: '127.0.0.3' })
      expect([authorization.slice(0, 40), status]).toEqual([authorization.slice(0, 40), 401])
      expect(headers['www-authenticate']).toMatch(/^Bearer\b/)
    }
    for (const authorization of [`bearer ${hub.token}`, `BEARER  ${hub.token}`]) {
      expect((await exchange(hub, { path: '/mcp', method: 'PUT', headers: { authorization } })).status).toBe(405)
    }
  })

  test('after a token was revoked, also on its open connection', async () => {
    const { token, id } = await issue({ role: 'human' })
    const connection = await connectLegacy(hub, { token })
    await hub.call('revoke_token', { id })

    expect((await connection.post(list)).status).toBe(401)
    expect((await modern(hub, 'tools/list', {}, { token })).status).toBe(401)
  })

  test('after a token has revoked itself and got the answer', async () => {
    const { token, id } = await issue({ role: 'human' })
    const revoke = { name: 'revoke_token', arguments: { id } }
    const { body } = await modern(hub, 'tools/call', revoke, { token })
    expect(body).toMatchObject({ result: { structuredContent: { id } } })
    const other = await issue({ role: 'human' })
    const connection = await connectLegacy(hub, { token: other.token })
    const answer = await connection.request('tools/call', { name: 'revoke_token', arguments: { id: other.id } })
    expect(answer).toMatchObject({ result: { structuredContent: { id: other.id } } })
    expect((await modern(hub, 'tools/list', {}, { token })).status).toBe(401)
  })

  test('after a token has expired', async () => {
    const { token } = await issue({ role: 'human', expires_in: 1 })
    expect((await modern(hub, 'tools/list', {}, { token })).status).toBe(200)
    await expect.poll(async () => (await modern(hub, 'tools/list', {}, { token })).status, patience).toBe(401)
  })

  test('before the body has arrived', async () => {
    const headers = { 'content-length': '1000000' }
    const { status } = await exchange(hub, { method: 'POST', headers, token: 'nobody', from: '127.0.0.4' })
    expect(status).toBe(401)
  })
})

describe('an address that guesses tokens', () => {
  test('must wait, but other addresses need not, and a valid token is still accepted from there', async () => {
    const guess = () => exchange(hub, { body: list, token: 'guess', from: '127.0.0.9' })
    let answer = await guess()
    for (let tries = 1; answer.status === 401 && tries < 100; tries++) answer = await guess()

    expect(answer.status).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('Wait') } })
    expect((await exchange(hub, { method: 'PUT', from: '127.0.0.9' })).status).toBe(405)
    expect((await exchange(hub, { body: list, token: 'guess', from: '127.0.0.10' })).status).toBe(401)
  })
})

describe('roles', () => {
  const management = ['issue_token', 'list_tokens', 'revoke_token', 'create_login', 'query_events']

  test('a person sees the management server', async () => {
    expect(await tools(hub.token, '?toolsets=all')).toEqual(expect.arrayContaining(['hub_status', ...management]))
  })

  test('an agent sees its compositor, and no tool, event or text of the management server', async () => {
    await hub.call('create_session', { name: 'mine', command: 'cat' })
    const { token } = await issue({ role: 'agent', session: 'mine', toolsets: ['all'] })
    const ofEveryAgent = /^(hub_status|search_tools|call_tool|(chat|policy|resources|sessions)_[a-z_]+)$/
    for (const name of await tools(token, '?toolsets=all')) expect(name).toMatch(ofEveryAgent)
    for (const name of management) {
      const { body } = await modern(hub, 'tools/call', { name, arguments: {} }, { token })
      expect(body).toMatchObject({ error: { code: -32602, message: expect.stringContaining(name) } })
    }
    const { body } = await modern(hub, 'resources/read', { uri: 'resource://events/0' }, { token })
    expect(body).toMatchObject({ error: { code: -32602 } })
    const connection = await connectLegacy(hub, { token })
    expect(await connection.request('resources/subscribe', { uri: 'resource://events/0' })).toMatchObject({ error: {} })
    expect((await modern(hub, 'server/discover', {}, { token })).text).not.toContain('management')
  })

  test('the token of an agent needs a session, and the token of a person must not have one', async () => {
    await expect(hub.call('issue_token', { role: 'agent' })).rejects.toThrow(/session/)
    await expect(hub.call('issue_token', { role: 'agent', session: 'nobody' })).rejects.toThrow(/no session "nobody"/)
    await expect(hub.call('issue_token', { role: 'human', session: 'x' })).rejects.toThrow(/session/)
  })
})

describe('toolsets', () => {
  test('are a short list with hub_status by default', async () => {
    const names = await tools(hub.token)
    expect(names).toContain('hub_status')
    expect(names).not.toContain('issue_token')
  })

  test('can be selected in the address, in every revision', async () => {
    expect(await tools(hub.token, '?toolsets=events')).toEqual(toolsOfEvents)
    expect(await tools(hub.token, '?toolsets=sessions,%20admin')).toContain('revoke_token')
    const connection = await connectLegacy(hub, { query: '?toolsets=events' })
    const { body } = await exchange(hub, { body: list, headers: { 'mcp-session-id': connection.id } })
    expect(namesIn(body)).toEqual(toolsOfEvents)
  })

  test('of a token are listed, unless the address selects others', async () => {
    const { token } = await issue({ role: 'human', toolsets: ['events'] })
    expect(await tools(token)).toEqual(toolsOfEvents)
    expect(await tools(token, '?toolsets=admin')).not.toContain('query_events')
  })

  test('only shorten the list: a tool that is not listed can be called', async () => {
    const { body } = await modern(
      hub,
      'tools/call',
      { name: 'list_tokens', arguments: {} },
      { query: '?toolsets=events' },
    )
    expect(body).toMatchObject({ result: { structuredContent: { tokens: expect.any(Array) } } })
  })

  test('with an unknown name are refused with the list of known names', async () => {
    for (const query of ['?toolsets=nonsense', '?toolsets=events,constructor', '?toolsets=']) {
      const { status, body } = await modern(hub, 'tools/list', {}, { query })
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: { message: expect.stringMatching(/sessions.*events.*all/) } })
    }
    await expect(hub.call('issue_token', { role: 'human', toolsets: ['nonsense'] })).rejects.toThrow(/nonsense.*events/)
  })
})

describe('the text of a token', () => {
  test('is in no file of the data directory except the token file, and in no line of the log', async () => {
    await hub.call('create_session', { name: 's', command: 'cat' })
    const issued = [await issue({ role: 'human' }), await issue({ role: 'agent', session: 's', label: 'mine' })]
    const connection = await connectLegacy(hub)
    const [legacy] = textsOf(
      await connection.request('tools/call', { name: 'issue_token', arguments: { role: 'human' } }),
    )
    using pair = await openSsePair(hub)
    await pair.post(hello)
    await pair.stream.message()
    const call = { name: 'issue_token', arguments: { role: 'human' } }
    await pair.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
    const [old] = textsOf(await pair.stream.message())
    const mistyped = hub.token.slice(0, -1)
    await exchange(hub, { body: list, token: mistyped })
    await exchange(hub, { path: `/mcp?token=${hub.token}`, body: list, token: null })
    await hub.call('revoke_token', { id: issued[0]?.token ?? '' }).catch(() => {})

    await expectNowhere([...issued.map(({ token }) => token), legacy, old, hub.token, mistyped])
  })

  test.each([
    ['issue_token', { role: 'human' }],
    ['call_tool', { name: 'issue_token', arguments: { role: 'human' } }],
  ])(
    'is not stored even if %s answers so late that another answer would become a stored stream',
    async (name, args) => {
      const connection = await connectLegacy(hub)
      // The call must wait until its event can be written.
      const log = new DatabaseSync(join(hub.home, 'events.db'))
      log.exec('BEGIN IMMEDIATE')
      const params = { name, arguments: args }
      const late = connection.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      await sleep(1_500)
      log.exec('ROLLBACK')
      log.close()

      await expectNowhere(textsOf((await late).text))
    },
  )
})

async function issue(spec: Readonly<Record<string, unknown>>): Promise<{ id: string; token: string }> {
  const { id, token } = await hub.call('issue_token', spec)
  return { id: String(id), token: String(token) }
}

async function tools(token: string, query = ''): Promise<readonly string[]> {
  return namesIn((await modern(hub, 'tools/list', {}, { token, query })).body)
}

function namesIn(body: unknown): readonly string[] {
  return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}

/** The tokens in a message. */
function textsOf(message: unknown): readonly string[] {
  return JSON.stringify(message).match(/sb_(human|agent)_[a-z0-9]{12}_[\w-]{43}/g) ?? []
}

async function expectNowhere(tokens: readonly (string | undefined)[]): Promise<void> {
  expect(tokens.length).toBeGreaterThan(0)
  const secrets = tokens.map((token) => token?.split('_').slice(3).join('_') ?? '')
  for (const secret of secrets) expect(secret.length).toBeGreaterThanOrEqual(42)
  const files = (await readdir(hub.home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['hub.db', 'events.db', 'connections.db', 'token']),
  )
  const places = await Promise.all(
    files
      .filter(({ name }) => name !== 'token')
      .map(async ({ parentPath, name }) => ({ name, content: await readFile(join(parentPath, name), 'latin1') })),
  )
  places.push({ name: 'the log', content: hub.log() })
  const found = places.filter(({ content }) => secrets.some((secret) => content.includes(secret)))
  expect(found.map(({ name }) => name)).toEqual([])
}
