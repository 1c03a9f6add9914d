import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runInProcess } from '../../test/fixtures/run-cli.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { commands } from './commands.ts'
import { HubError } from '../base/hub-error.ts'
import { exitCodes } from './command/exit-codes.ts'
import { packageVersion } from '../base/package-files.ts'

describe('help', () => {
  test('lists every command, with --help and without arguments', async () => {
    for (const argv of [[], ['--help'], ['-h'], ['help']]) {
      const { code, out } = await runInProcess(argv)
      expect(code).toBe(0)
      for (const { name, summary } of commands) expect(out).toMatch(new RegExp(`^  ${name} +${summary}`, 'm'))
    }
  })

  test.each(commands.map(({ name }) => name))('for "%s" shows its flags and an example', async (name) => {
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

  test('for a group lists its commands', async () => {
    const { code, out } = await runInProcess(['token', '--help'])
    expect(code).toBe(0)
    expect(out).toMatch(/token issue[\s\S]*token list[\s\S]*token revoke/)
  })

  test('wins over everything else on the command line', async () => {
    const { code, out } = await runInProcess(['call', '--nonsense', '--help'])
    expect(code).toBe(0)
    expect(out).toContain('usage: signalbox call')
  })

  test('for exit-codes shows the whole table', async () => {
    const { code, out } = await runInProcess(['help', 'exit-codes'])
    expect(code).toBe(0)
    for (const { code: number, means } of Object.values(exitCodes)) {
      expect(out).toContain(`${number}  ${means.replaceAll('`', '"')}`)
    }
  })
})

test('--version prints the version and nothing else', async () => {
  expect(await runInProcess(['--version'])).toEqual({ code: 0, out: packageVersion(), err: '' })
})

describe('a wrong command line exits with 2 and gets advice:', () => {
  test.each([
    [['staus'], 'There is no command "staus". Did you mean "signalbox status"?'],
    [['xyzzy-plugh'], 'There is no command "xyzzy-plugh". See "signalbox --help".'],
    [['token', 'isue'], 'There is no command "token isue". Did you mean "signalbox token issue"?'],
    [
      ['token'],
      '"signalbox token" is incomplete. Choose one of "signalbox token issue", "signalbox token list", "signalbox token revoke".',
    ],
    [['help', 'exitcodes'], 'Did you mean "signalbox exit-codes"?'],
    [['--port', '1', 'up'], 'Write the command before its flags: signalbox <command> --port.'],
    [['up', '--prot', '1'], '"up" has no flag --prot. Did you mean --port?'],
    [['up', '--port'], '--port needs a value: --port VALUE.'],
    [['up', '--home', '--port', '1'], '--home needs a value. If the value is "--port", write --home=--port.'],
    [['config', '--json=yes'], '--json takes no value.'],
    [['config', 'extra'], '"config" takes no argument "extra".'],
    [['token', 'revoke'], '"token revoke" needs more arguments: signalbox token revoke <id>.'],
    [['token', 'issue', '--role', 'boss'], '--role human or --role agent'],
    [['call', 'x', '[1]'], 'These are not the arguments of a tool: it is not a JSON object'],
    [['call', 'x', '{'], 'it is not JSON (line 1 column 2)'],
    [['call', 'x', '--timeout', 'soon'], '--timeout takes a time such as 30s, 5m or 2h, not "soon".'],
    [['status', '--url', 'nonsense'], '"nonsense" is not the URL of a hub'],
    [['jobs', 'ad', 'x'], 'There is no command "jobs ad". Did you mean "signalbox jobs add"?'],
    [
      ['jobs', '--status', 'lost'],
      '"lost" is not a status of a job. Choose one of queued, running, completed, failed, cancelled.',
    ],
    [['jobs', 'add', 'nightly'], 'Write the command to run after "--"'],
    [['jobs', 'add', 'nightly', '--priority', 'high', '--', 'true'], '--priority takes a whole number, not "high".'],
    [['new', '--env', 'CI', '--', 'true'], '--env takes a name and a value, such as --env CI=1, not "CI".'],
    [
      ['new', '--size', 'large'],
      '--size takes columns and rows, from 2x1 to 500x300, such as --size 120x40, not "large".',
    ],
    [['new', '--wait', 'luck'], 'Cannot wait for "luck". Choose one of text, regex, idle, waiting, exit.'],
    [['new', '--wait', 'text'], 'Waiting for text needs a value.'],
    [['new', '--wait', 'exit', '--timeout', 'soon'], '--timeout takes a time such as 30s, 5m or 2h, not "soon".'],
    [['new', '--attach', '--json'], '--attach is for people and does not go with --json.'],
    [['new', 'a', 'b'], '"new" takes no argument "b".'],
    [['wait', 'x', '--for', 'regex'], 'Waiting for regex needs a value.'],
    [['wait', 'x', 'y', '--for', 'idle'], 'Waiting for idle takes no value. Leave "y" out.'],
    [['logs', 'x', '-n', 'many'], '--lines takes a number from 1 to 10000, not "many".'],
    [['logs', 'x', '-f', '--raw', '--json'], '--raw has no lines. Leave --json or --raw out.'],
    [
      ['attach', 'x', '--detach-key', 'F1'],
      '--detach-key takes Ctrl with a letter or with one of [ \\ ] ^ _, such as ctrl-], not "F1".',
    ],
    [['attach', 'x', '--read-only', '--take-over'], '--read-only does not go with --take-over.'],
    [['replay', 'x', '--speed', 'fast'], '--speed takes a number such as 2 or 0.5, not "fast".'],
    [['ls', '--watch', '--json'], '--watch is for people and does not go with --json.'],
  ])('%j', async (argv, message) => {
    const { code, out, err } = await runInProcess(argv)
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toMatch(/^signalbox: /)
    expect(err).toContain(message)
  })
})

describe('an error message', () => {
  test('has one line per wrong setting, and the exit code is 2', async () => {
    const { code, err } = await runInProcess(['config'], { env: { SIGNALBOX_PORT: 'x', SIGNALBOX_HOP_LIMIT: 'y' } })
    expect(code).toBe(2)
    expect(err.split('\n')).toHaveLength(2)
    expect(err).toMatch(/^signalbox: SIGNALBOX_PORT is "x".*\nSIGNALBOX_HOP_LIMIT is "y"/)
  })

  test('has no stack, unless the log level is debug', async () => {
    const env = { SIGNALBOX_HOME: temporaryDirectory() }
    const startHub = failingWith(new TypeError('wheels came off'))
    const plain = await runInProcess(['up'], { env, startHub })
    expect(plain.code).toBe(1)
    expect(plain.err).toMatch(/^signalbox: This is a bug: wheels came off\..*SIGNALBOX_LOG_LEVEL=debug/)
    expect(plain.err).not.toContain('    at ')

    const loud = await runInProcess(['up'], { env: { ...env, SIGNALBOX_LOG_LEVEL: 'debug' }, startHub })
    expect(loud.err).toContain('    at ')
  })

  test('never shows a secret, even if the error contains one', async () => {
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

  test('is redacted only where it quotes another program', async () => {
    const env = { SIGNALBOX_HOME: temporaryDirectory() }
    const bug = await runInProcess(['up'], { env, startHub: failingWith(new Error('token: hunter2')) })
    expect(bug.err).toBe(
      'signalbox: This is a bug: token: [redacted]. Run the command again with SIGNALBOX_LOG_LEVEL=debug to see where.',
    )
    const ours = 'The hub cannot read /home/me/token: it is a directory. Use the form postgres://user:password@host.'
    const known = await runInProcess(['up'], { env, startHub: failingWith(new HubError('unavailable', ours)) })
    expect(known.err).toBe(`signalbox: ${ours}`)
  })

  test('is shown in full if it is our own, except for secrets of the environment', async () => {
    const tokenFile = join(temporaryDirectory(), 'agent.token')
    writeFileSync(tokenFile, '')
    const empty = await runInProcess(['call', 'hub_status', '--token-file', tokenFile])
    expect(empty.err).toBe(
      `signalbox: There is no token in ${tokenFile}. Write one into it, or leave --token-file out.`,
    )

    const env = { SIGNALBOX_TOKEN: 'open-sesame', SIGNALBOX_URL: 'http://me:hunter2@hub' }
    for (const secret of ['open-sesame', 'hunter2']) {
      expect((await runInProcess([secret], { env })).err).toContain('There is no command "[redacted]"')
    }
  })
})

describe('signalbox config', () => {
  test('prints every setting with its value and its source', async () => {
    const home = temporaryDirectory()
    const { code, out } = await runInProcess(['config'], { env: { SIGNALBOX_HOME: home, SIGNALBOX_PORT: '0' } })
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^home +${home} +environment SIGNALBOX_HOME$`, 'm'))
    expect(out).toMatch(/^port +0 +environment SIGNALBOX_PORT$/m)
    expect(out).toMatch(/^host +127\.0\.0\.1 +default$/m)
  })

  test('shows no secret, as text or as JSON', async () => {
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

  test('prints values, sources and warnings as JSON', async () => {
    const { out, err } = await runInProcess(['config', '--json'], { env: { SIGNALBOX_POTR: '1' } })
    const printed = JSON.parse(out)
    expect(printed.settings.port).toEqual({ value: 7420, from: 'default' })
    expect(printed.settings.token).toEqual({ value: null, from: 'default' })
    expect(printed.warnings).toEqual([expect.stringContaining('SIGNALBOX_PORT')])
    expect(err).toContain('signalbox: warning: Signalbox does not know the environment variable SIGNALBOX_POTR')
  })
})

function failingWith(failure: Error): () => Promise<never> {
  return () => Promise.reject(failure)
}
