/** The CLI sends the person's token to the hub of the data directory, and not to another program on its port. */
import { chmodSync, chownSync, existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hubSocket } from '../src/base/socket-places.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import { shippedHub, startHubProcess } from './worlds/hub-process.ts'
import { type OwnHub, startOwnHub } from './worlds/own-hub.ts'
import { modernMeta } from './harness/modern-call.ts'
import type { RecordingServer } from './harness/recording-server.ts'
import { startRecordingServer } from './harness/recording-server.ts'
import { startRelay } from './worlds/relay-process.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65534
const signalbox = fileURLToPath(new URL('../bin/signalbox', import.meta.url))
const longName = 'x'.repeat(100)

/** For tests that leave the hub as it is. */
let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub({ program: shippedHub })))
afterAll(() => hub[Symbol.asyncDispose]())

describe('while the hub is down, another program on its port', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('gets no request after %s', async (signal) => {
    const home = temporaryDirectory()
    await using hub = await startHubProcess({ home })
    await hub.end(signal)
    expect(existsSync(hubSocket(home))).toBe(signal === 'SIGKILL')
    await using fake = await fakeHub(hub.port)
    const env = { SIGNALBOX_HOME: home, SIGNALBOX_PORT: String(hub.port) }
    for (const line of [['status'], ['ls'], ['probe'], ['approvals', 'ls'], ['status', '--url', fake.url]]) {
      const { code, err } = await runInProcess(line, { env })
      expect(err, line.join(' ')).toContain(`No hub answers at ${fake.url}`)
      expect(err).toContain('signalbox up')
      expect(code).toBe(4)
    }
    const ofSession = { SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: hub.token, SIGNALBOX_HUB_SOCKET: hubSocket(home) }
    const inside = await runInProcess(['status'], { env: { ...ofSession, SIGNALBOX_HOME: temporaryDirectory() } })
    expect(inside).toMatchObject({ code: 4, err: expect.stringContaining('No hub answers') })

    await using relay = startRelay(['--url', fake.url], env)
    relay.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta } })
    // The relay waits for a hub that is being restarted.
    await using again = await startHubProcess({ home })
    expect(await relay.answer(1)).toHaveProperty('result')
    expect(again.port).not.toBe(hub.port)
    expect(fake.requests).toEqual([])
  })
})

describe('while the hub runs', () => {
  test.each([
    ['in the data directory', () => temporaryDirectory()],
    ['in the short directory where the path of the data directory is long', () => join(temporaryDirectory(), longName)],
  ])('its socket is %s and carries every command, even if hub.json names another URL', async (_, place) => {
    const home = place()
    await using _hub = await startHubProcess({ home })
    expect(lstatSync(hubSocket(home)).mode & 0o777).toBe(0o600)
    await using fake = await fakeHub()
    const notice = JSON.parse(readFileSync(join(home, 'hub.json'), 'utf8'))
    writeFileSync(join(home, 'hub.json'), JSON.stringify({ ...notice, url: fake.url }))
    for (const line of [['status'], ['ls'], ['probe'], ['status', '--url', fake.url]]) {
      expect(await runInProcess(line, { env: { SIGNALBOX_HOME: home } }), line.join(' ')).toMatchObject({ code: 0 })
    }
    expect(fake.requests).toEqual([])
  })

  test('a token that is named goes to a URL that is named, and the token file goes to no other hub', async () => {
    const { home } = hub
    await using fake = await fakeHub()
    const env = { SIGNALBOX_HOME: home }
    const refused = await runInProcess(['status', '--url', fake.url], { env })
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('Set SIGNALBOX_TOKEN') })
    expect(fake.requests.length).toBeGreaterThan(0)
    for (const { headers } of fake.requests) expect(headers).not.toHaveProperty('authorization')
    const { SIGNALBOX_TOKEN, SIGNALBOX_URL } = { SIGNALBOX_TOKEN: hub.token, SIGNALBOX_URL: hub.url }
    const elsewhere = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_TOKEN, SIGNALBOX_URL }
    expect(await runInProcess(['status'], { env: elsewhere })).toMatchObject({ code: 0 })
  })

  test('a slow answer arrives', async () => {
    const { home } = hub
    const env = { SIGNALBOX_HOME: home }
    expect(await runInProcess(['new', 'slow', '--', 'sh', '-c', 'read line; echo "got $line"'], { env })).toMatchObject(
      {
        code: 0,
      },
    )
    const waiting = runInProcess(['call', 'wait_for', '{"session":"slow","for":"text","value":"got it"}'], { env })
    expect(await runInProcess(['send', 'slow', 'it'], { env })).toMatchObject({ code: 0 })
    expect(await waiting).toMatchObject({ code: 0 })
  })
})

describe('inside a session', () => {
  test('the token of the session goes through the socket of the hub', async () => {
    const line = `echo "$SIGNALBOX_HUB_SOCKET"; exec '${signalbox}' status`
    const ran = await runInProcess(['new', 'inner', '--wait', 'exit', '--', line], {
      env: { SIGNALBOX_HOME: hub.home },
    })
    expect(ran.out).toContain(hubSocket(hub.home))
    expect(ran.out).toContain('uptime')
  })

  test('an agent that cannot see the directory of the socket uses the URL', async () => {
    const env = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: hub.token }
    const hidden = join(temporaryDirectory(), 'hidden', 'hub.sock')
    expect(await runInProcess(['status'], { env: { ...env, SIGNALBOX_HUB_SOCKET: hidden } })).toMatchObject({ code: 0 })
  })
})

describe('the CLI refuses a socket', () => {
  const isForeign = (path: string) => chownSync(path, nobody, nobody)
  const isLoose = (path: string) => chmodSync(path, 0o777)
  test.each([
    ['with a loose mode', (home: string) => isLoose(hubSocket(home)), false],
    ['in a directory with a loose mode', (home: string) => isLoose(join(home, 'run')), false],
    ['of another user', (home: string) => isForeign(hubSocket(home)), true],
    ['in a directory of another user', (home: string) => isForeign(join(home, 'run')), true],
  ])('%s', async (_, spoil, needsRoot) => {
    if (needsRoot && !isRoot) return
    const { home } = hub
    for (const path of [hubSocket(home), join(home, 'run')]) restoreAfterTest(path)
    spoil(home)
    const { code, err } = await runInProcess(['status'], { env: { SIGNALBOX_HOME: home } })
    expect(err).toMatch(/^signalbox: The token was not sent: .*(belongs to user 65534|has mode 0777)/)
    expect(code).toBe(3)
  })
})

function restoreAfterTest(path: string): void {
  const { mode, uid, gid } = lstatSync(path)
  onTestFinished(() => {
    chmodSync(path, mode & 0o777)
    if (isRoot) chownSync(path, uid, gid)
  })
}

function fakeHub(port?: number): Promise<RecordingServer> {
  return startRecordingServer((_, response) => void response.writeHead(401).end(), port)
}
