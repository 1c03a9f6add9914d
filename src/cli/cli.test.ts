import { describe, expect, test } from 'vitest'
import { runInProcess } from '../../test/fixtures/run-cli.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { commands } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { readVersion } from './installation.ts'

describe('help', () => {
  test('lists every command, with and without being asked', async () => {
    for (const argv of [[], ['--help'], ['-h'], ['help']]) {
      const { code, out } = await runInProcess(argv)
      expect(code).toBe(0)
      for (const { name, summary } of commands) expect(out).toMatch(new RegExp(`^  ${name} +${summary}`, 'm'))
    }
  })

  test.each(commands.map(({ name }) => name))('on "%s" shows its flags and an example', async (name) => {
    const asked = await runInProcess([...name.split(' '), '--help'])
    const entry = commands.find((each) => each.name === name)!
    const { flags, examples } = await entry.load()
    expect(asked.code).toBe(0)
    expect(asked.out).toContain(`usage: signalbox ${name}`)
    for (const flag of Object.keys(flags)) expect(asked.out).toContain(`--${flag}`)
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) expect(asked.out).toContain(example)
    expect(await runInProcess(['help', ...name.split(' ')])).toEqual(asked)
  })

  test('on a group lists its commands', async () => {
    const { code, out } = await runInProcess(['token', '--help'])
    expect(code).toBe(0)
    expect(out).toMatch(/token issue[\s\S]*token list[\s\S]*token revoke/)
  })

  test('wins over whatever else is on the line', async () => {
    const { code, out } = await runInProcess(['call', '--nonsense', '--help'])
    expect(code).toBe(0)
    expect(out).toContain('usage: signalbox call')
  })

  test('on exit-codes gives the whole table', async () => {
    const { code, out } = await runInProcess(['help', 'exit-codes'])
    expect(code).toBe(0)
    for (const { code: number, means } of Object.values(exitCodes)) {
      expect(out).toContain(`${number}  ${means.replaceAll('`', '"')}`)
    }
  })
})

test('--version prints the version and nothing else', async () => {
  expect(await runInProcess(['--version'])).toEqual({ code: 0, out: readVersion(), err: '' })
})

describe('a command line that is wrong exits with 2 and says what was meant', () => {
  test.each([
    [['staus'], 'There is no command "staus". Did you mean "signalbox status"?'],
    [['xyzzy-plugh'], 'There is no command "xyzzy-plugh". See "signalbox --help".'],
    [['token', 'isue'], 'There is no command "token isue". Did you mean "signalbox token issue"?'],
    [
      ['token'],
      '"signalbox token" is not complete. There are "signalbox token issue", "signalbox token list", "signalbox token revoke".',
    ],
    [['help', 'exitcodes'], 'Did you mean "signalbox exit-codes"?'],
    [['--port', '1', 'up'], 'The command comes first, then its flags: signalbox <command> --port.'],
    [['up', '--prot', '1'], '"up" has no flag --prot. Did you mean --port?'],
    [['up', '--port'], '--port needs a value: --port VALUE.'],
    [['up', '--home', '--port', '1'], '--home needs a value; if "--port" is meant, write --home=--port.'],
    [['config', '--json=yes'], '--json takes no value.'],
    [['config', 'extra'], '"config" does not know what to do with "extra".'],
    [['token', 'revoke'], '"token revoke" needs more: signalbox token revoke <id>.'],
    [['token', 'issue', '--role', 'boss'], '--role human or --role agent'],
    [['call', 'x', '[1]'], 'The arguments of a tool are a JSON object'],
    [['call', 'x', '{'], 'The arguments are no JSON'],
    [['call', 'x', '--timeout', 'soon'], '--timeout takes a number of seconds, not "soon".'],
    [['status', '--url', 'nonsense'], '"nonsense" is no URL of a hub'],
    [['jobs', 'ad', 'x'], 'There is no command "jobs ad". Did you mean "signalbox jobs add"?'],
    [['jobs', '--status', 'lost'], 'No job is ever "lost": jobs are queued, running, completed, failed, cancelled.'],
    [['jobs', 'add', 'nightly'], 'Say what to run, behind "--"'],
    [['jobs', 'add', 'nightly', '--priority', 'high', '--', 'true'], '--priority takes a whole number, not "high".'],
    [['new', '--env', 'CI', '--', 'true'], '--env takes a name and a value: --env CI=1, not "CI".'],
    [['new', '--size', 'large'], '--size takes columns and rows: --size 120x40, not "large".'],
    [['new', '--wait', 'luck'], '"luck" cannot be waited for: text, regex, idle, waiting, exit can.'],
    [['new', '--wait', 'text'], 'Say which text to wait for.'],
    [['new', '--wait', 'exit', '--timeout', 'soon'], '--timeout takes a time such as 30s, 5m or 2h, not "soon".'],
    [['new', '--attach', '--json'], 'Either --attach, for people, or --json.'],
    [['new', 'a', 'b'], '"new" does not know what to do with "b".'],
    [['wait', 'x', '--for', 'regex'], 'Say which regex to wait for.'],
    [['wait', 'x', 'y', '--for', 'idle'], 'To wait for idle takes no value such as "y".'],
    [['logs', 'x', '-n', 'many'], '--lines takes a number, not "many".'],
    [['logs', 'x', '-f', '--raw', '--json'], '--raw has no lines'],
    [
      ['attach', 'x', '--detach-key', 'F1'],
      'A session is left with Ctrl and a letter, or Ctrl and one of [ \\ ] ^ _, such as ctrl-], not with "F1".',
    ],
    [['attach', 'x', '--read-only', '--take-over'], 'Either --read-only or --take-over'],
    [['replay', 'x', '--speed', 'fast'], '--speed takes a number such as 2 or 0.5, not "fast".'],
    [['ls', '--watch', '--json'], '--watch is for people'],
  ])('%j', async (argv, message) => {
    const { code, out, err } = await runInProcess(argv)
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toMatch(/^signalbox: /)
    expect(err).toContain(message)
  })
})

describe('errors', () => {
  test('in the configuration exit with 2, one line each', async () => {
    const { code, err } = await runInProcess(['config'], { env: { SIGNALBOX_PORT: 'x', SIGNALBOX_HOP_LIMIT: 'y' } })
    expect(code).toBe(2)
    expect(err.split('\n')).toHaveLength(2)
    expect(err).toMatch(/^signalbox: SIGNALBOX_PORT says "x".*\nsignalbox: SIGNALBOX_HOP_LIMIT says "y"/)
  })

  test('nobody thought of are told without a stack, and with one at log level debug', async () => {
    const env = { SIGNALBOX_HOME: temporaryDirectory() }
    const startHub = failingWith(new TypeError('wheels came off'))
    const plain = await runInProcess(['up'], { env, startHub })
    expect(plain.code).toBe(1)
    expect(plain.err).toMatch(/^signalbox: This should not have happened: wheels came off\..*SIGNALBOX_LOG_LEVEL=debug/)
    expect(plain.err).not.toContain('    at ')

    const loud = await runInProcess(['up'], { env: { ...env, SIGNALBOX_LOG_LEVEL: 'debug' }, startHub })
    expect(loud.err).toContain('    at ')
  })

  test('never show a secret, even where one is part of the message', async () => {
    const env = {
      SIGNALBOX_HOME: temporaryDirectory(),
      SIGNALBOX_LOG_LEVEL: 'debug',
      SIGNALBOX_TOKEN: 'open-sesame',
      DATABASE_URL: 'postgres://me:hunter2@db/x',
    }
    const startHub = failingWith(new Error('postgres://me:hunter2@db/x did not care for open-sesame'))
    const { err } = await runInProcess(['up'], { env, startHub })
    expect(err).toContain('did not care for')
    expect(err).not.toMatch(/hunter2|open-sesame/)
  })
})

describe('signalbox config', () => {
  test('prints every setting with its value and where it came from', async () => {
    const home = temporaryDirectory()
    const { code, out } = await runInProcess(['config'], { env: { SIGNALBOX_HOME: home, SIGNALBOX_PORT: '0' } })
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^home +${home} +environment SIGNALBOX_HOME$`, 'm'))
    expect(out).toMatch(/^port +0 +environment SIGNALBOX_PORT$/m)
    expect(out).toMatch(/^host +127\.0\.0\.1 +default$/m)
  })

  test('shows no secret, in either form', async () => {
    const env = {
      SIGNALBOX_TOKEN: 'sb_human_abcdefgh',
      DATABASE_URL: 'postgres://me:hunter2@db/x',
      SIGNALBOX_URL: 'http://me:hunter2@127.0.0.1:7420/mcp',
    }
    for (const argv of [['config'], ['config', '--json']]) {
      const { code, out } = await runInProcess(argv, { env })
      expect(code).toBe(0)
      expect(out).toContain('[redacted]')
      expect(out).not.toMatch(/hunter2|sb_human_abcdefgh/)
    }
  })

  test('as JSON carries value, source and warnings', async () => {
    const { out, err } = await runInProcess(['config', '--json'], { env: { SIGNALBOX_POTR: '1' } })
    const printed = JSON.parse(out)
    expect(printed.settings.port).toEqual({ value: 7420, from: 'default' })
    expect(printed.settings.token).toEqual({ value: null, from: 'default' })
    expect(printed.warnings).toEqual([expect.stringContaining('SIGNALBOX_PORT')])
    expect(err).toContain('signalbox: warning: The environment variable SIGNALBOX_POTR means nothing')
  })
})

function failingWith(failure: Error): () => Promise<never> {
  return () => Promise.reject(failure)
}
