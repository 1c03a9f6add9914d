/** The command line as people use it: real processes and a real hub, which share only a data directory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { takePort } from './fixtures/ports.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import { bundled } from './harness/bundle.ts'
import { requires } from './harness/requires.ts'
import { shippedHub, startHubProcess } from './worlds/hub-process.ts'
import { type OwnHub, startOwnHub } from './worlds/own-hub.ts'

const main = bundled('signalbox')
const limiter = requires('prlimit')
const bin = fileURLToPath(new URL('../bin/signalbox', import.meta.url))

/** For tests that leave the hub as it is. */
let shared: OwnHub
beforeAll(async () => void (shared = await startOwnHub({ program: shippedHub })))
afterAll(() => shared[Symbol.asyncDispose]())

describe('a running hub', () => {
  test('prints one line when it is ready, keeps its data private, and exits with 0 on SIGTERM', async () => {
    const home = join(temporaryDirectory(), 'made', 'by', 'the-hub')
    const child = start(['up', '--port', '0'], { SIGNALBOX_HOME: home })
    const said: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
    await once(child.stdout, 'data')
    expect(statSync(home).mode & 0o777).toBe(0o700)
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600)
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])

    const token = readFileSync(join(home, 'token'), 'utf8').trim()
    expect(Buffer.concat(said).toString()).toMatch(
      new RegExp(`^Signalbox is ready: http://127\\.0\\.0\\.1:\\d+/#token=${token}\\n$`),
    )
    expect(existsSync(join(home, 'hub.json'))).toBe(false)
    const { code, err } = await signalbox(['status'], { SIGNALBOX_HOME: home, SIGNALBOX_PORT: '0' })
    expect(code).toBe(4)
    expect(err).toContain('signalbox up')
  })

  test('stops when the npm that started it gets a SIGTERM', async () => {
    const home = temporaryDirectory()
    await using started = await startHubProcess({ home, viaNpm: true })
    const { pid } = JSON.parse(readFileSync(join(home, 'hub.json'), 'utf8'))
    onTestFinished(() => endIfThere(pid))
    // Signals npm itself, as a supervisor does, and not its process group, as Ctrl-C does.
    started.process.kill('SIGTERM')
    await expect.poll(() => existsSync(join(home, 'hub.json')), { timeout: 60_000 }).toBe(false)
  })

  test('reports its status as text and as JSON', async () => {
    const { home } = shared
    const words = await signalbox(['status'], { SIGNALBOX_HOME: home })
    expect(words.code, words.err).toBe(0)
    expect(words.out).toMatch(/^version +\d+\.\d+\.\d+$/m)
    expect(words.out).toMatch(/^store +sqlite$/m)
    const json = await signalbox(['status', '--json'], { SIGNALBOX_HOME: home })
    expect(JSON.parse(json.out)).toMatchObject({ version: expect.any(String), uptime_seconds: expect.any(Number) })
  })

  test('speaks every revision of MCP', async () => {
    const { home } = shared
    const { code, out, err } = await signalbox(['probe', '--json'], { SIGNALBOX_HOME: home })
    expect(code, err).toBe(0)
    expect(JSON.parse(out).revisions).toMatchObject(
      ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'].map((revision) => ({
        revision,
        handshake: true,
        call: true,
      })),
    )
  })

  test('issues, lists and revokes tokens', async () => {
    const { home } = shared
    const env = { SIGNALBOX_HOME: home }
    const issued = await signalbox(['token', 'issue', '--role', 'human', '--label', 'phone', '--expires-in', '7d'], env)
    expect(issued.code, issued.err).toBe(0)
    const token = issued.out.trim()
    const [, id = ''] = /^Token (\S+) \(human\) is valid until \d{4}-/.exec(issued.err) ?? []
    expect(issued.err).not.toContain(token)

    const asPhone = { ...env, SIGNALBOX_TOKEN: token }
    const list = await signalbox(['token', 'list'], asPhone)
    expect(list.code, list.err).toBe(0)
    expect(list.out).toMatch(new RegExp(`^${id} +human +– +phone .* until `, 'm'))
    expect(list.out).not.toContain(token)

    expect(await signalbox(['token', 'revoke', id], env)).toMatchObject({ code: 0, out: `Revoked token ${id}.\n` })
    const refused = await signalbox(['token', 'list'], asPhone)
    expect(refused.code).toBe(3)
    expect(refused.err).toContain('does not accept the token of SIGNALBOX_TOKEN')
  })

  test('issues a token to an agent that gives access only to its own tools', async () => {
    const { home } = shared
    const env = { SIGNALBOX_HOME: home }
    const started = await signalbox(['call', 'create_session', '{"name": "fix-login", "command": "cat"}'], env)
    expect(started.code, started.err).toBe(0)
    const issued = await signalbox(['token', 'issue', '--role', 'agent', '--session', 'fix-login'], env)
    const asAgent = { SIGNALBOX_HOME: home, SIGNALBOX_TOKEN: issued.out.trim() }
    expect((await signalbox(['call', 'hub_status'], asAgent)).code).toBe(0)
    expect((await signalbox(['token', 'list'], asAgent)).code).not.toBe(0)
  })

  test('answers calls from the shell, and explains errors in them', async () => {
    const { home } = shared
    const env = { SIGNALBOX_HOME: home }
    const events = await signalbox(['call', 'query_events', '{"limit": 1}'], env)
    expect(events.code, events.err).toBe(0)
    expect(JSON.parse(events.out).events).toHaveLength(1)
    const wrong = await signalbox(['call', 'query_events', '{"limit": "many"}'], env)
    expect(wrong.code).toBe(5)
    expect(wrong.err).toMatch(/^signalbox: .*limit/)
  })

  test('is not disturbed by doctor', async () => {
    const { home, url } = shared
    const port = new URL(url).port
    const { code, out } = await signalbox(['doctor', '--json'], {
      SIGNALBOX_HOME: home,
      SIGNALBOX_PORT: port,
      SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
      HOME: temporaryDirectory(),
    })
    const { findings } = JSON.parse(out)
    expect(findings.filter(({ is }: { is: string }) => is === 'broken')).toEqual([])
    expect(code).toBe(0)
    expect(findings).toContainEqual(
      expect.objectContaining({
        about: 'ports',
        says: expect.stringContaining(`${port} is in use by the running hub`),
      }),
    )
    expect(findings).toContainEqual(expect.objectContaining({ about: 'store', is: 'ok' }))
    expect((await signalbox(['status'], { SIGNALBOX_HOME: home })).code).toBe(0)
  })
})

describe('a hub that cannot start', () => {
  test('names the other hub and exits with 7 if the data directory is in use', async () => {
    const { home, process: first } = shared
    const { code, out, err } = await signalbox(['up', '--port', '0'], { SIGNALBOX_HOME: home })
    expect({ code, out }).toEqual({ code: 7, out: '' })
    expect(err).toMatch(new RegExp(`^signalbox: .*\\b${first.pid}\\b`))
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  test('names the port and exits with 1 if the port is in use', async () => {
    const port = await takePort()
    const { code, out, err } = await signalbox(['up', '--port', String(port)], { SIGNALBOX_HOME: temporaryDirectory() })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(new RegExp(`^signalbox: .*\\b${port}\\b`, 'm'))
  })

  test('names the setting and exits with 2 if the configuration is wrong', async () => {
    const { code, err } = await signalbox(['up', '--port', 'http'], { SIGNALBOX_HOME: temporaryDirectory() })
    expect(code).toBe(2)
    expect(err).toMatch(/^signalbox: The flag --port is "http", but it takes a whole number/)
  })
})

test('a second signal ends a hub that is slow to stop', async () => {
  const program = fileURLToPath(new URL('fixtures/stubborn-hub.ts', import.meta.url))
  const child = spawn(process.execPath, [program, temporaryDirectory()], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  await once(child.stderr, 'data')
  expect(child.exitCode).toBeNull()
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
})

test('bin/signalbox runs from any directory and through a symbolic link', async () => {
  const link = join(temporaryDirectory(), 'signalbox')
  symlinkSync(bin, link)
  const child = spawn(link, ['--version'], { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] })
  expect(await text(child.stdout)).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('input that is not UTF-8 is refused instead of changed', async () => {
  const file = join(temporaryDirectory(), 'latin1.yaml')
  writeFileSync(file, Buffer.from('rules: [] # caf\xe9\n', 'latin1'))
  const { code, err } = await failing(`"${process.execPath}" "${main}" policy check - <"${file}"`, {})
  expect(code).toBe(1)
  expect(err).toMatch(/^signalbox: The input is not UTF-8 text\. /)
})

test('a pipe that is closed early is not an error', async () => {
  const command = `"${process.execPath}" "${main}" config | head -1`
  const child = spawn('bash', ['-o', 'pipefail', '-c', command], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(out).toMatch(/^setting /)
  expect(err).toBe('')
})

describe.runIf(process.platform === 'linux')('output that cannot be written', () => {
  test('makes a command fail with a message', async () => {
    const { home } = shared
    const failure = { code: 1, err: 'signalbox: The output could not be written: no space left on device.\n' }
    for (const command of ['--version', 'status --json', 'token list']) {
      expect(await intoFullDevice(command.split(' '), { SIGNALBOX_HOME: home }), command).toEqual(failure)
    }
  })

  test('makes token issue revoke the token that it could not print', async () => {
    const { home } = shared
    const env = { SIGNALBOX_HOME: home }
    const { code, err } = await intoFullDevice(['token', 'issue', '--role', 'human', '--label', 'unseen'], env)
    expect(code).toBe(1)
    expect(err).toMatch(/could not be written: no space left on device\. Token \S+ was not printed and is revoked\.\n$/)
    expect((await signalbox(['token', 'list', '--all'], env)).out).toMatch(/ unseen .*revoked/)
  })
})

limiter.describe('a full disk', () => {
  test('keeps a hub from starting, and the hub says so and exits with 1', async () => {
    const up = [limiter.path, '--fsize=0:unlimited', process.execPath, main, 'up', '--port', '0']
    const { code, err } = await failing(up.join(' '), { SIGNALBOX_HOME: temporaryDirectory() })
    expect(code).toBe(1)
    expect(err).toMatch(/^signalbox: .*space left .*\n$/)
  })
})

function intoFullDevice(argv: readonly string[], env: Record<string, string>) {
  return failing([process.execPath, main, ...argv, '>/dev/full'].join(' '), env)
}

async function failing(line: string, env: Record<string, string>) {
  const child = spawn('sh', ['-c', `exec ${line}`], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code: Number(code), err }
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended already, as it should.
  }
}

function start(argv: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [main, ...argv], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function signalbox(argv: readonly string[], env: Record<string, string>) {
  const child = start(argv, env)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: Number(code), out, err }
}
