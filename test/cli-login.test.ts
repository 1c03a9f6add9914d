/** `signalbox url --qr`: a phone scans the code, logs in with it once, and gets its own token. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from './fixtures/ports.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { darkTerminal, lightTerminal, scanQr } from './fixtures/scan-qr.ts'
import { exchange } from './http/exchange.ts'
import { shippedHub } from './worlds/hub-process.ts'
import { type OwnHub, startOwnHub } from './worlds/own-hub.ts'

let hub: OwnHub
let base: string
beforeAll(async () => {
  const port = await freePort()
  base = `http://127.0.0.1:${port}`
  const env = { SIGNALBOX_PORT: String(port), SIGNALBOX_SESSION_FOLLOW_BASE: base }
  hub = await startOwnHub({ program: shippedHub, env })
  await hub.call('create_session', { name: 'fix-tests', command: 'cat' })
})
afterAll(() => hub[Symbol.asyncDispose]())

const display = (columns: number, hasColours = true) => ({ display: () => ({ columns, rows: 40, hasColours }) })
const url = (words: readonly string[], given: Parameters<typeof runInProcess>[1] = {}) =>
  runInProcess(['url', ...words], { env: { SIGNALBOX_HOME: hub.home }, ...given })

describe.each([
  ['a dark terminal', darkTerminal, true],
  ['a light terminal', lightTerminal, true],
  ['a dark terminal without colours', darkTerminal, false],
  ['a light terminal without colours', lightTerminal, false],
])('on %s', (_, screen, hasColours) => {
  test('a scanner reads the printed link, whose code works once', async () => {
    const { code, out, err } = await url(['--qr'], display(80, hasColours))
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringMatching(/once.*until \d\d:\d\d/) })
    const link = scanQr(out, screen)
    expect(link).toMatch(new RegExp(`^${base}/#code=sb_login_[\\w-]{22}$`))
    expect(out.trimEnd().split('\n').at(-1)).toBe(link)
    const send = () =>
      exchange(hub, { path: '/login', body: { code: new URL(link!).hash.slice('#code='.length) }, token: null })
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(401)
  })
})

test('the code of a session leads to its page, and fits a terminal of 80 by 24', async () => {
  const { out } = await url(['fix-tests', '--qr'], display(80))
  expect(scanQr(out, darkTerminal)).toMatch(new RegExp(`^${base}/terminal/fix-tests#code=sb_login_`))
  expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(24)
})

test('a terminal that is too narrow gets only the link', async () => {
  const { code, out, err } = await url(['--qr'], display(30))
  expect(out.trimEnd()).toMatch(/^http:\S+$/)
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringMatching(/too narrow.*\d+ columns/) })
})

test('a pipe gets plain blocks, and --json the link', async () => {
  const plain = await url(['--qr'])
  expect(plain.out).not.toContain('\x1b')
  expect(scanQr(plain.out, darkTerminal)).toContain('#code=')
  expect(JSON.parse((await url(['--qr', '--json'])).out)).toEqual({
    login_url: expect.stringContaining('#code='),
    expires_at: expect.any(String),
  })
})

test('without --qr, the link of a session has no code, and a session must be named', async () => {
  expect(await url(['fix-tests'])).toMatchObject({ code: 0, out: `${base}/terminal/fix-tests` })
  expect(await url([])).toMatchObject({ code: 2, err: expect.stringContaining('--qr') })
})

test('on a hub that no other device can reach, it says what to change', async () => {
  await using local = await startOwnHub({ program: shippedHub })
  const { code, out, err } = await runInProcess(['url', '--qr'], { env: { SIGNALBOX_HOME: local.home } })
  expect({ code, out }).toEqual({ code: 5, out: '' })
  expect(err).toMatch(/listens on 127\.0\.0\.1.*--host 0\.0\.0\.0.*SIGNALBOX_SESSION_FOLLOW_BASE/)
})
