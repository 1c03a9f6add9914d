/** The arguments, answers and errors of the session tools. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openSessionTools } from '../../test/fixtures/session-tools.ts'
import { useSqliteWorld } from '../../test/worlds/session-world.ts'
import type { Session } from '../api/session.ts'

const patience = { timeout: 60_000 }

async function begin(...args: Parameters<typeof useSqliteWorld>) {
  const world = await useSqliteWorld(...args)
  return { ...world, ...openSessionTools(world.sessions) }
}

test.each([
  ['an invalid variable name', { env: { 'A=B': 'c' } }, /"env.*letters, digits and underscores/],
  ['a NUL in a variable', { env: { A: 'b\0c' } }, /"env.*NUL/],
  ['a NUL in the command', { command: 'echo a\0; true' }, /"command".*NUL/],
  ['a NUL in an argument', { command: 'echo', args: ['a\0b'] }, /"args.*NUL/],
  ['a directory that is a file', { working_dir: '/etc/passwd' }, /"working_dir".*not a directory/],
  ['a worktree without a repository', { worktree: true }, /"worktree".*"working_dir"/],
  [
    'a worktree of a directory without a repository',
    { worktree: true, working_dir: '/usr' },
    /"worktree".*not a git repository/,
  ],
  ['a missing program', { command: './no-such', args: [] }, /"command": there is no program at/],
  ['an unknown argument', { colour: 'red' }, /"colour" is not known here/],
])('create_session refuses %s and leaves nothing behind', async (_, args, sentence) => {
  const { failure, sessions, home } = await begin()
  expect(await failure('create_session', { name: 'refused', ...args })).toMatch(sentence)
  expect(await sessions.list({})).toEqual([])
  expect(existsSync(join(home, 'workspaces', 'refused'))).toBe(false)
})

test('an empty text counts as missing', async () => {
  const { call, home } = await begin([{ name: 'own', command: 'echo of the template; cat' }], {
    defaultTemplate: 'own',
  })
  const args = { name: 'empty', command: '', prompt: '', working_dir: '', description: '' }
  const session = await call<Session & { prompt?: unknown }>('create_session', {
    ...args,
    wait: { for: 'text', value: 'of the template' },
  })
  expect(session).toMatchObject({ template: 'own', workspace_path: join(home, 'workspaces', 'empty'), met: true })
  expect(session.prompt).toBeUndefined()
})

test('arguments without a command go to the program of the template or to the shell', async () => {
  const { call } = await begin([{ name: 'bare', command: '' }])
  const args = ['-c', 'echo "$0 $1"', 'zero', 'one']
  const wait = { for: 'exit' }
  expect(await call('create_session', { name: 'a', template: 'bare', args, wait })).toMatchObject({
    screen: 'zero one',
  })
})

test('placeholders in a custom command are not filled in, and its prompt is typed', async () => {
  const { call } = await begin([{ name: 'own', command: 'cat', args: [], prompt: { quiet_ms: 0, fallback_ms: 100 } }])
  const typed = await call('create_session', {
    name: 'typed',
    template: 'own',
    command: 'echo "{prompt}"; cat',
    prompt: 'hello',
    wait: { for: 'text', value: 'hello' },
  })
  expect(typed).toMatchObject({ prompt: { delivered: true }, screen: expect.stringContaining('{prompt}\nhello') })
  expect(typed).not.toMatchObject({ prompt: { reason: expect.anything() } })
})

test('the program may be one of the files of its template', async () => {
  const { failure, sessions } = await begin([{ name: 'own', command: './run', args: [], include_files: ['run'] }])
  // This world copies no files, so the start fails; the check before it does not.
  expect(await failure('create_session', { name: 'own', template: 'own' })).toMatch(/no program at .*\/own\/run/)
  expect(await sessions.find('own')).toMatchObject({ status: 'failed' })
})

test('wait_session waits for a queued job, also if the job never starts', async () => {
  const { call, sessions } = await begin([], { jobConcurrency: 1 })
  const enqueue = (name: string, command: string) => call<Session>('enqueue_one_off', { name, command })
  await enqueue('first', 'read -r _')
  await enqueue('second', 'echo done; exit 3')
  await enqueue('third', 'true')
  expect(await call('wait_session', { name: 'second', for: 'exit', timeout_ms: 0 })).toMatchObject({
    met: false,
    reason: 'timeout',
    status: 'queued',
    screen: '',
  })
  const waits = Promise.all([
    call('wait_session', { name: 'second', for: 'exit' }),
    call('wait_session', { name: 'third', for: 'exit' }),
    call('wait_session', { name: 'third', for: 'text', value: 'never' }),
  ])
  await call('kill_session', { name: 'third' })
  await vi.waitFor(async () => expect((await sessions.find('first')).status).toBe('running'), patience)
  await call('send_input', { name: 'first', text: '' })
  expect(await waits).toMatchObject([
    { met: true, reason: 'exit', status: 'failed', screen: 'done' },
    { met: true, reason: 'exit', status: 'stopped', screen: '' },
    { met: false, reason: 'exit', status: 'stopped', screen: '' },
  ])
})

test('wait_session refuses an invalid condition before a queued job starts', async () => {
  const { call, failure } = await begin([], { jobConcurrency: 0 })
  await call('enqueue_one_off', { name: 'waits', command: 'true' })
  expect(await failure('wait_session', { name: 'waits', for: 'text' })).toMatch(/"value": give the text/)
})

test('create_session reports how a program ended that never got its prompt', async () => {
  const { call } = await begin()
  expect(await call('create_session', { name: 'gone', command: 'sleep 0.2; exit 3', prompt: 'hi' })).toMatchObject({
    status: 'failed',
    exit_code: 3,
    prompt: { delivered: false, reason: 'The program ended before it got the prompt.' },
  })
})

test('a cancelled wait_session stops waiting for a queued job', async () => {
  const { call } = await begin([], { jobConcurrency: 0 })
  await call('enqueue_one_off', { name: 'waits', command: 'true' })
  const leaving = new AbortController()
  const waiting = call('wait_session', { name: 'waits', for: 'exit' }, { signal: leaving.signal })
  leaving.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
})

test('a wait for idle is met by a program that has ended', async () => {
  const { call } = await begin()
  const created = await call('create_session', { name: 'quick', command: 'true', wait: { for: 'exit' } })
  expect(created).toMatchObject({ met: true, status: 'completed' })
  expect(await call('wait_session', { name: 'quick', for: 'idle', timeout_ms: 0 })).toMatchObject({
    met: true,
    status: 'completed',
    activity: { is: 'idle', source: 'exit' },
  })
})

test('changed settings of an ended session take effect at once', async () => {
  const { call, sessions } = await begin()
  await call('create_session', { name: 'over', command: 'true', wait: { for: 'exit' } })
  const subject = await sessions.subject('over')
  await subject.changeSettings((settings) => ({ ...settings, title: 'its epitaph' }))
  expect(subject.settings.title).toBe('its epitaph')
})

test('send_input succeeds if the text ends the program', async () => {
  const { call, sessions } = await begin()
  await call('create_session', { name: 'sh', command: 'read -r _; exit 5' })
  expect(await call('send_input', { name: 'sh', text: 'bye\n' })).toMatchObject({ ok: true, bytes_written: 4 })
  await vi.waitFor(async () => expect((await sessions.find('sh')).exitCode).toBe(5), patience)
})

test('list_sessions applies its filters to every page, newest first', async () => {
  const { call, sessions } = await begin([], { jobConcurrency: 0 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await call('enqueue_one_off', { name, command: 'true' })
  for (const name of ['a', 'c', 'e']) await sessions.update(await sessions.find(name), { labels: ['odd'] })
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const args = { label: 'odd', limit: 1, ...(cursor !== undefined && { cursor }) }
    const page = await call<{ sessions: Session[]; next_cursor?: string }>('list_sessions', args)
    seen.push(...page.sessions.map(({ name }) => name))
    cursor = page.next_cursor
  } while (cursor !== undefined)
  expect(seen).toEqual(['e', 'c', 'a'])
})

test('waiting sessions are listed first, and each session once even if it starts or stops waiting between pages', async () => {
  const { call, sessions } = await begin([], { jobConcurrency: 0 })
  const ids = new Map<string, string>()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    ids.set(name, (await call<Session>('enqueue_one_off', { name, command: 'true' })).id)
  }
  const wait = (name: string, count: number) =>
    sessions.on!['approvals-pending']!({
      session: ids.get(name)!,
      pending: {
        count,
        oldest: count > 0 ? { id: 'a1', tool: 'x', requestedAt: new Date(0).toISOString() } : undefined,
        isHeld: () => true,
        isDeserted: () => false,
      },
    })
  type Listed = { sessions: Session[]; next_cursor?: string }
  const list = async (args: Readonly<Record<string, unknown>>) => {
    const page = await call<Listed>('list_sessions', args)
    return { names: page.sessions.map(({ name }) => name).join(''), cursor: page.next_cursor }
  }

  await wait('b', 1)
  await wait('a', 1)
  expect((await list({})).names).toBe('bafedc')
  expect((await list({ activity: 'waiting' })).names).toBe('ba')
  const first = await list({ limit: 3 })
  expect(first.names).toBe('baf')
  await wait('b', 0)
  await wait('c', 1)
  const second = await list({ limit: 3, cursor: first.cursor })
  expect(second).toEqual({ names: 'ced', cursor: undefined })

  const pages: string[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await list({ limit: 1, ...(cursor !== undefined && { cursor }) })
    pages.push(page.names)
    cursor = page.cursor
  }
  expect(pages.join('')).toBe('cafedb')
})

test('the resources of a session reflect whether it is missing, queued or ended', async () => {
  const { call, read, sessions } = await begin([], { jobConcurrency: 0 })
  expect(await read('resource://sessions/nobody')).toBeUndefined()
  expect(await read('resource://sessions/nobody/screen')).toBeUndefined()
  const { id } = await call<Session>('enqueue_one_off', { name: 'waits', command: 'true' })
  expect(JSON.parse((await read(`resource://sessions/${id}`))!)).toMatchObject({ status: 'queued' })
  await expect(read('resource://sessions/waits/screen')).rejects.toThrow(/has not started yet/)
  await call('create_session', { name: 'over', command: 'echo words', wait: { for: 'exit' } })
  expect((await read('resource://sessions/over/screen'))?.trimEnd()).toBe('words')
  expect(await read('resource://sessions/over/log')).toBe('words')
  expect(sessions.count).toBe(0)
})

test('a prompt of 10,000 lines arrives unchanged', async () => {
  const template = {
    name: 'reader',
    // Like an agent, it turns on bracketed paste and reads bytes.
    command: `stty raw -echo; printf '\\033[?2004hready'; head -c $1 > taken; printf '[Pasted]'; head -c 1 > /dev/null; printf taken; cat`,
    prompt: { ready: 'ready', quiet_ms: 0, pasted: '\\[Pasted', taken: 'taken' },
  }
  const text = Array.from({ length: 10_000 }, (_, line) => `\t${line} Enter ✓ 🚀 -n C-c`).join('\n')
  const pasted = `\x1b[200~${text.replaceAll('\n', '\r')}\x1b[201~`
  const command = template.command.replace('$1', String(Buffer.byteLength(pasted)))
  const { call, home } = await begin([{ ...template, command }])
  const session = await call('create_session', { name: 'long', template: 'reader', prompt: text })
  expect(session).toMatchObject({ prompt: { delivered: true } })
  expect(readFileSync(join(home, 'workspaces', 'long', 'taken'), 'utf8')).toBe(pasted)
})

test('a new session uses an existing worktree again and loses no commit', async () => {
  const { call, failure, home } = await begin()
  const repository = join(home, 'repository')
  const git = (directory: string, ...args: string[]) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' })
  execFileSync('git', ['init', '--quiet', repository])
  git(repository, 'commit', '--quiet', '--allow-empty', '-m', 'first')
  const args = { name: 'tree', command: 'true', working_dir: repository, worktree: true, wait: { for: 'exit' } }
  const { workspace_path: path } = await call<Session>('create_session', args)
  git(path, 'commit', '--quiet', '--allow-empty', '-m', 'its work')
  await call('create_session', args)
  expect(git(path, 'log', '--format=%s')).toBe('its work\nfirst\n')
  git(repository, 'worktree', 'remove', path)
  await call('create_session', args)
  expect(git(path, 'log', '--format=%s')).toBe('its work\nfirst\n')
  // A directory of that name that is not a worktree is refused.
  await call('create_session', { name: 'plain', command: 'true', wait: { for: 'exit' } })
  expect(await failure('create_session', { ...args, name: 'plain' })).toMatch(/"worktree": .*plain already exists/)
})
