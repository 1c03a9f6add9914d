/** `POST /login` exchanges a one-time code for a token. The code is stored and logged nowhere. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectLegacy } from './legacy-connection.ts'
import type { RequestSpec } from './exchange.ts'
import { exchange } from './exchange.ts'
import { modern } from './modern-request.ts'
import { type OwnHub, startOwnHub } from '../worlds/own-hub.ts'

let hub: OwnHub
beforeAll(async () => {
  const env = { SIGNALBOX_SESSION_FOLLOW_BASE: 'https://hub.example.org', SIGNALBOX_LOG_LEVEL: 'debug' }
  hub = await startOwnHub({ env })
})
afterAll(() => hub[Symbol.asyncDispose]())

const logIn = (code: unknown, spec: RequestSpec = {}) =>
  exchange(hub, { path: '/login', body: { code }, token: null, ...spec })

test('a code becomes a token that works, is listed and can be revoked; the code works once', async () => {
  const code = await createCode()
  const { status, headers, body } = await logIn(code)
  expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
  const { token, id } = body as { token: string; id: string }
  expect(body).toEqual({ token: expect.stringMatching(/^sb_human_/), id, expires_at: expect.any(String) })
  expect((await modern(hub, 'tools/list', {}, { token })).status).toBe(200)
  const { tokens } = await hub.call('list_tokens')
  expect(tokens).toContainEqual(expect.objectContaining({ id, role: 'human', label: 'phone login' }))

  const again = await logIn(code, { from: '127.0.0.2' })
  expect([again.status, again.body]).toMatchObject([
    401,
    { error: { message: expect.stringMatching(/used or expired.*signalbox url --qr/) } },
  ])
  await hub.call('revoke_token', { id })
  expect((await modern(hub, 'tools/list', {}, { token })).status).toBe(401)
})

test('of two requests with one code, exactly one gets a token', async () => {
  const code = await createCode()
  const answers = await Promise.all(['127.0.0.3', '127.0.0.4'].map((from) => logIn(code, { from })))
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '401'])
})

test('the link leads to the first page, or to the page of a session', async () => {
  await hub.call('create_session', { name: 'build', command: 'cat' })
  const pattern = (path: string) => new RegExp(`^https://hub\\.example\\.org${path}#code=sb_login_[\\w-]{22}$`)
  expect((await hub.call('create_login'))['login_url']).toMatch(pattern('/'))
  expect((await hub.call('create_login', { session: 'build' }))['login_url']).toMatch(pattern('/terminal/build'))
  await expect(hub.call('create_login', { session: 'nobody' })).rejects.toThrow('There is no session "nobody"')
})

test('the event log has the token and its origin', async () => {
  const { body } = await logIn(await createCode())
  const { events } = await hub.call('query_events', { type: 'login-used' })
  const own = hub.token.split('_')[2]
  expect(events).toContainEqual(
    expect.objectContaining({ payload: { token_id: (body as { id: string }).id, created_by: own } }),
  )
})

test('Host and Origin must be allowed, and only POST with a JSON object is answered', async () => {
  const code = await createCode()
  expect((await logIn(code, { headers: { host: 'evil.example.org' } })).status).toBe(403)
  expect((await logIn(code, { headers: { origin: 'https://evil.example.org' } })).status).toBe(403)
  const got = await exchange(hub, { method: 'GET', path: '/login', token: null })
  expect([got.status, got.headers['allow']]).toEqual([405, 'POST'])
  for (const body of ['', 'null', '[]', '{"code": 5}', '{', '{}']) {
    const { status, text } = await exchange(hub, { path: '/login', body, token: null })
    expect([body, status]).toEqual([body, 400])
    expect(text).toContain('code')
  }
  expect((await logIn('x'.repeat(10_000))).status).toBe(413)
  expect((await logIn(code, { headers: { origin: `http://127.0.0.1:${hub.port}` } })).status).toBe(200)
})

describe('an address that guesses codes', () => {
  test('must wait, but a valid code is still accepted from there', async () => {
    const guess = () => logIn(`sb_login_${'A'.repeat(22)}`, { from: '127.0.0.9' })
    let answer = await guess()
    for (let tries = 1; answer.status === 401 && tries < 100; tries++) answer = await guess()
    expect(answer.status).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect((await logIn(await createCode(), { from: '127.0.0.9' })).status).toBe(200)
  })
})

test('an agent cannot create a login', async () => {
  await hub.call('create_session', { name: 'mine', command: 'cat' })
  const { token } = await hub.call('issue_token', { role: 'agent', session: 'mine' })
  const call = { name: 'create_login', arguments: {} }
  const { body } = await modern(hub, 'tools/call', call, { token: String(token) })
  expect(body).toMatchObject({ error: { code: -32602, message: expect.stringContaining('create_login') } })
})

test('a code is in no file of the data directory and in no line of the log', async () => {
  const connection = await connectLegacy(hub)
  const codes = [await createCode(), await createCode()]
  const legacy = await connection.request('tools/call', { name: 'create_login', arguments: {} })
  codes.push(/sb_login_[\w-]{22}/.exec(JSON.stringify(legacy))![0])
  await logIn(codes[0])
  await logIn(codes[0])
  // A mistake: a person pastes a code where it does not belong.
  await exchange(hub, { path: `/login?code=${codes[1]}`, body: '{', token: null })
  await hub.call('revoke_token', { id: codes[1] }).catch(() => {})

  const files = (await readdir(hub.home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['hub.db', 'events.db', 'connections.db']))
  const places = await Promise.all(
    files.map(async ({ parentPath, name }) => ({ name, text: await readFile(join(parentPath, name), 'latin1') })),
  )
  places.push({ name: 'the log', text: hub.log() })
  const secrets = codes.map((code) => code.slice('sb_login_'.length))
  expect(places.filter(({ text }) => secrets.some((secret) => text.includes(secret))).map(({ name }) => name)).toEqual(
    [],
  )
})

test('a hub that only this machine can reach says how to change that, and makes no code', async () => {
  await using local = await startOwnHub()
  await expect(local.call('create_login')).rejects.toThrow(
    /listens on 127\.0\.0\.1.*--host 0\.0\.0\.0.*SIGNALBOX_SESSION_FOLLOW_BASE/,
  )
})

async function createCode(): Promise<string> {
  const { login_url: link } = await hub.call('create_login')
  return new URL(String(link)).hash.replace('#code=', '')
}
