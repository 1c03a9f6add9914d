/** The session commands against a real hub, with real programs in real terminals. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createRepository, isBranchThere } from './fixtures/git-repository.ts'
import { personAt } from './fixtures/person.ts'
import type { CliOutcome } from './fixtures/run-cli.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import { callTool } from './harness/modern-call.ts'
import type { TempHome } from './harness/temp-home.ts'
import { createTempHome } from './harness/temp-home.ts'

let home: TempHome
let hub: HubProcess
beforeAll(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path })
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

describe('signalbox new', () => {
  test('starts a command and prints a name made from it', async () => {
    const first = await signalbox('new', '--', 'cat', '-n')
    onTestFinished(() => kill(first.out))
    expect(first).toMatchObject({ code: 0, out: 'cat-1' })
    expect(first.err).toMatch(/^Watch it with "signalbox attach cat-1" or at http:.*\/terminal\/cat-1$/)
    const second = await signalbox('new', '--json', '--label', 'a', '--label', 'b', '--size', '90x30', '--', 'cat')
    onTestFinished(() => kill('cat-2'))
    expect(JSON.parse(second.out)).toMatchObject({
      name: 'cat-2',
      labels: ['a', 'b'],
      size: { cols: 90, rows: 30 },
      workspace_path: process.cwd(),
    })
  })

  test('waits for a condition and prints the screen at that moment', async () => {
    const { code, out } = await signalbox(
      'new',
      'sum',
      '--env',
      'A=40',
      '--wait',
      'exit',
      '--',
      'echo "it is $((A+2))"',
    )
    expect({ code, out }).toEqual({ code: 0, out: 'sum\nit is 42' })
    const inVain = await signalbox('new', 'never', '--wait', 'text:this', '--timeout', '1', '--', 'cat')
    onTestFinished(() => kill('never'))
    expect(inVain.code).toBe(8)
    expect(inVain.err).toContain('the wait timed out; the session keeps running')
  })

  test('types a prompt from stdin into the session', async () => {
    const prompt = 'two lines\nof -n text'
    const asked = ['new', 'prompted', '--prompt', '-', '--wait', 'text:of -n text', '--', 'tee got.txt']
    const directory = temporaryDirectory()
    const { code, err } = await runInProcess([...asked.slice(0, 2), '--dir', directory, ...asked.slice(2)], {
      env,
      stdin: prompt,
    })
    onTestFinished(() => kill('prompted'))
    expect(code, err).toBe(0)
    await signalbox('keys', 'prompted', 'Ctrl+d')
    await signalbox('wait', 'prompted', '--for', 'exit')
    expect(readFileSync(join(directory, 'got.txt'), 'utf8')).toBe(`${prompt}\n`)
  })

  test('prints the error of the hub', async () => {
    const missing = await signalbox('new', '--template', 'nonsense')
    expect(missing).toMatchObject({ code: 5, out: '' })
    expect(missing.err).toContain('nonsense')
    const nowhere = await signalbox('new', '--dir', '/does/not/exist', '--', 'true')
    expect(nowhere).toMatchObject({ code: 5 })
    expect(nowhere.err).toContain('/does/not/exist')
  })
})

describe('a session', () => {
  test('is listed while it runs, and with --all when it has ended', async () => {
    await start('listed', 'cat')
    expect((await signalbox('ls')).out).toMatch(/^listed +shell +running /m)
    await signalbox('kill', 'listed')
    expect((await signalbox('ls')).out).not.toContain('listed')
    expect((await signalbox('ls', '--all')).out).toMatch(/^listed +shell +stopped /m)
    expect(JSON.parse((await signalbox('ls', '--all', '--json')).out).sessions).toContainEqual(
      expect.objectContaining({ name: 'listed', status: 'stopped' }),
    )
  })

  test('takes input, shows its screen and can be waited for', async () => {
    await start('typed', 'bash --norc')
    expect((await signalbox('wait', 'typed', 'bash-')).code).toBe(0)
    expect(await signalbox('send', 'typed', 'echo "sum $((40+2))"')).toMatchObject({ code: 0 })
    expect(await signalbox('wait', 'typed', 'sum 42', '--json')).toMatchObject({ code: 0 })
    await signalbox('send', 'typed', '--no-enter', '--', '-n nothing')
    expect((await signalbox('wait', 'typed', 'n nothing')).code).toBe(0)
    await signalbox('keys', 'typed', 'Ctrl+u', 'e', 'x', 'i', 't', 'Space', '3', 'Enter')
    expect(await signalbox('wait', 'typed', '--for', 'exit')).toMatchObject({ code: 0, out: 'typed has ended' })
    expect((await signalbox('screen', 'typed')).out).toMatch(/^bash-.*\nsum 42\nbash-/m)
    const gone = await signalbox('wait', 'typed', '--for', 'regex', 'never.*ever', '--timeout', '5m')
    expect(gone).toMatchObject({ code: 8, out: 'typed has ended, and the condition was not met' })
    const unknown = await signalbox('keys', 'typed', 'Hyper+x')
    expect(unknown.code).toBe(5)
  })

  test('counts as working until it has ended, if it is not a shell', async () => {
    await start('silent', 'read -r _; exit 3')
    await showing(/^silent .* ● working/m, 'ls')
    const inVain = await signalbox('wait', 'silent', '--timeout', '1s')
    expect(inVain).toMatchObject({ code: 8, out: 'silent: timed out' })
    expect(await callTool(hub, 'is_shell_idle', { session: 'silent' })).toMatchObject({ idle: false })
    const waiting = signalbox('wait', 'silent')
    await signalbox('send', 'silent', '')
    expect(await waiting).toMatchObject({ code: 0, out: 'silent has ended' })
  })

  test('prints its screen in colour', async () => {
    await start('red', `printf '\\e[1;31mred\\e[0m and \\e[4mplain\\e[0m\\n'; cat`)
    await signalbox('wait', 'red', 'plain')
    expect((await signalbox('screen', 'red')).out).toBe('red and plain')
    expect((await signalbox('screen', 'red', '--ansi')).out).toBe(
      '\x1b[1;38;2;204;0;0mred\x1b[0m and \x1b[4mplain\x1b[0m\n',
    )
    const path = join(temporaryDirectory(), 'red.png')
    expect(await signalbox('shot', 'red', '-o', path)).toMatchObject({ code: 0, out: path })
    expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG')
    expect((await signalbox('url', 'red')).out).toBe(`http://127.0.0.1:${hub.port}/terminal/red`)
  })

  test('has a log that can be followed to its end', async () => {
    await start('logged', 'seq 1 5; read -r; seq 6 9; printf tail')
    await signalbox('wait', 'logged', '5')
    expect((await signalbox('logs', 'logged', '-n', '2')).out).toBe('4\n5')
    const following = signalbox('logs', 'logged', '-f')
    // The log has the output before the follower starts, and the stream has the rest. Each line appears once.
    expect((await signalbox('send', 'logged', '')).out).toBe('1 byte typed.')
    const { code, out } = await following
    expect(code).toBe(0)
    expect(
      out
        .split('\n')
        .filter((line) => /^\d$|^tail$/.test(line))
        .slice(-5),
    ).toEqual(['6', '7', '8', '9', 'tail'])
    expect((await signalbox('logs', 'logged', '--raw')).out).toContain('9\r\ntail')
  })

  test('is ended by kill, even if another one in the list does not exist', async () => {
    await start('one', 'cat')
    const { code, out, err } = await signalbox('kill', 'nobody', 'one')
    expect({ code, out }).toEqual({ code: 5, out: 'one has been stopped.' })
    expect(err).toContain('"nobody"')
    expect(await signalbox('kill', 'one', '--remove')).toMatchObject({ code: 0, out: 'one has been removed.' })
    expect((await signalbox('ls', '--all')).out).not.toMatch(/^one /m)
  })
})

test('a worktree is new or said to be old, and kill --remove removes it if it is clean', async () => {
  const repository = createRepository(join(temporaryDirectory(), 'repository'))
  const start = (name: string) =>
    signalbox('new', name, '--dir', repository, '--worktree', '--wait', 'exit', '--', 'pwd -P')
  const path = (await start('tree')).out.split('\n')[1]!
  expect((await start('tree')).err).toBe(`signalbox: It continues in the existing worktree ${path}.`)
  const person = await personAt(['kill', 'tree'], { env })
  expect(await person.exit).toBe(0)
  expect(person.output).toContain('"signalbox kill tree --remove" removes it and its branch')
  expect((await signalbox('kill', 'tree')).err).toBe('')

  writeFileSync(join(path, 'mine'), '')
  const kept = await signalbox('kill', 'tree', '--remove')
  expect(kept.out).toBe(
    `tree has been removed.\nIts worktree ${path} stays. It has uncommitted or untracked work: mine.`,
  )
  const clean = (await start('clean')).out.split('\n')[1]!
  const removed = await signalbox('kill', 'clean', '--remove')
  expect(removed.out).toBe(
    `clean has been removed.\nIts worktree ${clean} and its branch signalbox/clean have been removed.`,
  )
  expect([existsSync(clean), isBranchThere(repository, 'signalbox/clean')]).toEqual([false, false])
})

test('new --new-dir says that it goes on in an old directory', async () => {
  const start = () => signalbox('new', 'again', '--new-dir', '--wait', 'exit', '--', 'touch mine')
  expect((await start()).err).toBe('')
  expect((await start()).err).toMatch(/^signalbox: It continues in the existing directory .*again\.$/)
})

test('ls --all shows ids, token list hides revoked tokens, and prune removes both kinds with --yes', async () => {
  await start('same', 'true')
  await signalbox('wait', 'same', '--for', 'exit')
  await start('same', 'cat')
  const ids = JSON.parse((await signalbox('ls', '--all', '--json')).out)
    .sessions.filter(({ name }: { name: string }) => name === 'same')
    .map(({ id }: { id: string }) => id) as [string, string]
  const all = (await signalbox('ls', '--all')).out
  for (const id of ids) expect(all).toContain(id)
  expect((await signalbox('ls')).out).not.toContain(ids[0])

  const { id: token } = JSON.parse((await signalbox('token', 'issue', '--role', 'human', '--json')).out)
  await signalbox('token', 'revoke', token)
  expect((await signalbox('token', 'list')).out).not.toContain(token)
  expect((await signalbox('token', 'list', '--all')).out).toMatch(new RegExp(`^${token} .*revoked`, 'm'))

  const preview = await signalbox('prune', '--what', 'sessions,tokens')
  expect(preview.out).toMatch(new RegExp(`^would go +session +same +${ids[1]} `, 'm'))
  expect(preview.out).toMatch(new RegExp(`^would go +token +– +${token} `, 'm'))
  expect(preview.out).toMatch(/\nNothing was removed yet\. Add --yes to remove what would go\.$/)
  expect(preview.out).not.toContain(ids[0])
  expect((await signalbox('prune', '--what', 'sessions,tokens', '--yes')).out).toMatch(/^removed +session +same /m)
  expect((await signalbox('ls', '--all')).out).not.toContain(ids[1])
  expect((await signalbox('ls')).out).toMatch(/^same +shell +running /m)
  expect((await signalbox('token', 'list', '--all')).out).not.toContain(token)
  expect(await signalbox('prune', '--what', 'everything')).toMatchObject({ code: 2 })
})

describe('a recording', () => {
  test('is exported, and plays back the output of the session', async () => {
    await start('shown', `stty -echo; printf 'one\\n'; sleep 0.3; printf '\\e[6ntwo\\n'`)
    await signalbox('wait', 'shown', '--for', 'exit')
    const path = join(temporaryDirectory(), 'shown.cast')
    expect(await signalbox('export', 'shown', '-o', path)).toMatchObject({ code: 0, out: path })
    const header = { title: 'shown', command: expect.stringContaining('stty -echo;') as string }
    expect(headerOf(path)).toMatchObject({ version: 3, ...header })
    const older = join(temporaryDirectory(), 'older.cast')
    await signalbox('export', 'shown', '-o', older, '--format', 'asciicast-v2')
    expect(headerOf(older)).toMatchObject({ version: 2, width: expect.any(Number) as number, ...header })
    expect((await signalbox('replay', older)).out).toBe((await signalbox('replay', path)).out)
    expect((await signalbox('export', 'shown', '-o', '-')).out).toBe(readFileSync(path, 'utf8'))

    for (const source of [path, 'shown']) {
      expect((await signalbox('replay', source)).out.replaceAll('\n', '')).toBe('one\r\x1b[6ntwo\r')
      const person = await personAt(['replay', source, '--speed', '2'], { env, before: 'mine' })
      await person.sees(/^one\ntwo/)
      await person.sees('The end. Press any key to quit.')
      person.type('x')
      expect(await person.exit).toBe(0)
      expect(person.screen.text()).toBe('mine')
      expect(person.answers).toBe('')
    }
  })

  test('plays back a program that enters and leaves the alternate screen', async () => {
    await start('two-screens', `printf 'first\\n\\e[?1049h\\e[Hother'; sleep 0.2; printf '\\e[?1049lafter\\n'`)
    await signalbox('wait', 'two-screens', '--for', 'exit')
    const person = await personAt(['replay', 'two-screens', '--idle-limit', '1'], { env })
    await person.sees(/^first\nafter/)
    person.type('q')
    expect(await person.exit).toBe(0)
  })
})

test('jobs are queued, run and cancelled', async () => {
  const added = await signalbox('jobs', 'add', 'counting', '--', 'seq', '1', '3')
  expect(added.out).toMatch(/^Job \S+ is .*\. See its output with "signalbox logs counting"\.$/)
  await showing(/counting +completed .* seq 1 3$/m, 'jobs')
  expect((await signalbox('logs', 'counting')).out).toBe('1\n2\n3')

  const { out } = await signalbox('jobs', 'add', 'endless', '--json', '--', 'cat')
  const { job_id: id } = JSON.parse(out)
  await showing(/^endless +script +running/m, 'ls')
  expect(await signalbox('jobs', 'cancel', id)).toEqual({ code: 0, out: `Job ${id} is cancelled.`, err: '' })
  expect(JSON.parse((await signalbox('jobs', '--status', 'cancelled', '--json')).out).jobs).toMatchObject([{ id }])
})

test('a job runs in the current directory or in --dir, and can be an agent with a prompt', async () => {
  expect(JSON.parse((await signalbox('jobs', 'add', 'here', '--json', '--', 'true')).out)).toMatchObject({
    workspace_path: process.cwd(),
  })
  const directory = temporaryDirectory()
  const agent = {
    name: 'note-taker',
    command: 'sh',
    args: ['-c', `printf 'ready> '; read -r line; echo "$line, $1" > noted`, 'sh', '{agent_args}'],
    prompt: { ready: 'ready>', quiet_ms: 0 },
  }
  writeFileSync(join(directory, 'note-taker.json'), JSON.stringify(agent))
  await signalbox('templates', 'save', join(directory, 'note-taker.json'))
  const asked = ['jobs', 'add', 'noting', '--dir', directory, '--template', 'note-taker', '--prompt', 'buy milk']
  expect(await signalbox(...asked, '--', '--fast')).toMatchObject({ code: 0 })
  await showing(/noting +completed .* buy milk$/m, 'jobs')
  expect(readFileSync(join(directory, 'noted'), 'utf8')).toBe('buy milk, --fast\n')
  const nothing = await signalbox('jobs', 'add', 'nothing')
  expect(nothing).toMatchObject({ code: 2 })
  expect(nothing.err).toContain('--prompt')
})

test('saves, uses and deletes a template with the files it includes', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'NOTES.md'), 'read me\n')
  const template = { name: 'reader', command: 'cat NOTES.md', include_files: ['NOTES.md'] }
  writeFileSync(join(directory, 'reader.json'), JSON.stringify(template))
  expect((await signalbox('templates', 'save', join(directory, 'reader.json'))).out).toMatch(/reader\.json$/)
  expect((await signalbox('templates')).out).toMatch(/^reader +yours +yes/m)
  const read = await signalbox('new', '--template', 'reader', '--new-dir', '--wait', 'exit')
  expect(read.out).toBe('reader-1\nread me')
  expect((await signalbox('templates', 'delete', 'reader')).out).toBe('Deleted template reader.')
  expect((await signalbox('templates')).out).not.toContain('reader')
  expect(await signalbox('templates', 'delete', 'shell')).toMatchObject({ code: 5 })
})

test('ls --watch updates the list', async () => {
  const person = await personAt(['ls', '--watch'], { env, before: 'mine' })
  await person.sees(/No session is running|^name/)
  await start('appears', 'cat')
  await person.sees('appears')
  // The status turns green once the session runs.
  await vi.waitFor(() => expect(person.output).toContain('\x1b[32m'), { timeout: 60_000, interval: 50 })
  process.kill(person.pid, 'SIGINT')
  expect(await person.exit).toBe(0)
  expect(person.screen.text()).toBe('mine')
})

test('a command that needs a terminal says so in a pipe', async () => {
  await start('piped', 'cat')
  const { code, err } = await signalbox('attach', 'piped')
  expect(code).toBe(2)
  expect(err).toContain('attach needs a terminal for input and output, but this is a pipe or a file.')
  // The refused attach must not have claimed the keyboard.
  const claim = { session: 'piped', viewer: 'a person' }
  expect(await callTool(hub, 'claim_input', claim)).toEqual({ granted: true, writer: 'a person' })
  expect(await signalbox('new', 'unseen', '--attach', '--', 'cat')).toMatchObject({ code: 2 })
  expect(await signalbox('screen', 'unseen')).toMatchObject({ code: 5 })
})

test('names a file that cannot be written, and the reason', async () => {
  await start('drawn', 'cat')
  const file = join(temporaryDirectory(), 'missing', 'a')
  const failure = { code: 1, err: `signalbox: ${file} cannot be written: no such file or directory.` }
  expect(await signalbox('shot', 'drawn', '-o', file)).toMatchObject(failure)
  expect(await signalbox('export', 'drawn', '-o', file)).toMatchObject(failure)
})

let env: { SIGNALBOX_HOME: string; SIGNALBOX_PORT: string }
beforeAll(() => {
  env = { SIGNALBOX_HOME: home.path, SIGNALBOX_PORT: '0' }
})

function signalbox(...argv: string[]): Promise<CliOutcome> {
  return runInProcess(argv, { env })
}

/** Repeats the check until it passes. */
function showing(line: RegExp, ...argv: string[]): Promise<void> {
  return vi.waitFor(async () => expect((await signalbox(...argv)).out).toMatch(line), {
    timeout: 60_000,
    interval: 100,
  })
}

async function start(name: string, command: string): Promise<void> {
  await callTool(hub, 'create_session', { name, template: 'shell', command, working_dir: '/' })
  onTestFinished(() => kill(name))
}

async function kill(name: string): Promise<void> {
  await callTool(hub, 'kill_session', { name }).catch(() => {})
}

function headerOf(recording: string): unknown {
  return JSON.parse(readFileSync(recording, 'utf8').split('\n')[0]!)
}
