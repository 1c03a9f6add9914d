/** Workspaces that the hub makes: new directories and git worktrees, their set-up, and their removal. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRepository, git, isBranchThere } from '../../test/fixtures/git-repository.ts'
import { openSessionTools } from '../../test/fixtures/session-tools.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { addQueued, useSqliteWorld, useWorld } from '../../test/worlds/session-world.ts'
import type { Session } from '../api/session.ts'
import type { KilledSession } from './steering-tools.ts'

const wait = { for: 'exit' }
/** Killing a queued job removes its worktree too, and needs no program. */
const withoutPrograms = { jobConcurrency: 0 }

async function begin(...args: Parameters<typeof useSqliteWorld>) {
  const world = await useSqliteWorld(...args)
  const repository = createRepository(join(world.home, 'repository'))
  return { ...world, ...openSessionTools(world.sessions), repository }
}

test('a session in an old directory says so, and one in a new or empty directory says nothing', async () => {
  const { call, home } = await begin()
  const args = { name: 'notes', command: 'echo one > note', wait }
  expect((await call<Session>('create_session', args)).last_message).toBeUndefined()
  const again = await call<Session>('create_session', args)
  expect(again.last_message).toBe(`It continues in the existing directory ${join(home, 'workspaces', 'notes')}.`)
  mkdirSync(join(home, 'workspaces', 'empty'))
  expect((await call<Session>('create_session', { ...args, name: 'empty' })).last_message).toBeUndefined()
})

test('a session in an old worktree or on an old branch says so', async () => {
  const { call, repository } = await begin()
  const args = { name: 'tree', command: 'true', working_dir: repository, worktree: true, wait }
  const first = await call<Session>('create_session', args)
  expect(first.last_message).toBeUndefined()
  const path = first.workspace_path
  expect((await call<Session>('create_session', args)).last_message).toBe(
    `It continues in the existing worktree ${path}.`,
  )
  git(repository, 'worktree', 'remove', path)
  expect((await call<Session>('create_session', args)).last_message).toBe(
    'It continues with the existing branch signalbox/tree.',
  )
})

test('the template sets up a new worktree before the program starts, and does not set up an old one again', async () => {
  const template = {
    name: 'installer',
    command: 'cat installed; echo "in $WHERE"',
    env: { WHERE: 'here' },
    worktree_setup: 'echo "setting up $WHERE"; echo deps >> installed',
  }
  const { call, repository } = await begin([template])
  const args = { name: 'built', template: 'installer', working_dir: repository, worktree: true, wait }
  const session = await call<Session & { screen: string }>('create_session', args)
  expect(session.screen).toBe('deps\nin here')
  const log = join(session.log_path, '..', 'worktree-setup.log')
  expect(session.last_message).toBe(`worktree_setup is done. Its output is in ${log}.`)
  expect(readFileSync(log, 'utf8')).toBe('setting up here\n')
  expect((await call<{ screen: string }>('create_session', args)).screen).toBe('deps\nin here')
})

test('a set-up that fails stops the session with its output, and runs again in the next one', async () => {
  const template = {
    name: 'broken',
    command: 'true',
    worktree_setup: 'echo attempt >> attempts; echo "no such registry" >&2; test $(wc -l < attempts) -gt 1',
  }
  const { call, failure, repository } = await begin([template])
  const args = { name: 'fails', template: 'broken', working_dir: repository, worktree: true, wait }
  const said = await failure('create_session', args)
  expect(said).toMatch(/^worktree_setup of the template "broken" ended with exit code 1: no such registry\n/)
  expect(await call('get_session', { name: 'fails' })).toMatchObject({ status: 'failed', last_message: said })
  expect(await call('create_session', args)).toMatchObject({ status: 'completed' })
})

test('a session can be killed during its set-up', async () => {
  const { call, failure, repository } = await begin([
    { name: 'slow', command: 'true', worktree_setup: 'touch begun; sleep 600' },
  ])
  const starting = failure('create_session', {
    name: 'slow',
    template: 'slow',
    working_dir: repository,
    worktree: true,
  })
  const path = async () => (await call<Session>('get_session', { name: 'slow' })).workspace_path
  await expect.poll(async () => existsSync(join(await path(), 'begun')), { timeout: 60_000 }).toBe(true)
  expect(await call('kill_session', { name: 'slow' })).toMatchObject({ status: 'stopped' })
  expect(await starting).toContain('worktree_setup')
})

describeOnEachEngine('kill_session with remove', (open) => {
  test('removes a clean worktree and its branch, after the template has torn it down', async () => {
    const world = useWorld(await open(), [
      { name: 'tidy', command: 'true', worktree_teardown: 'echo "good bye from $PWD"; echo "$PWD" > ../torn-down' },
    ])
    const { call } = openSessionTools(world.sessions)
    const repository = createRepository(join(world.home, 'repository'))
    const args = { name: 'clean', template: 'tidy', working_dir: repository, worktree: true, wait }
    const { workspace_path: path } = await call<Session>('create_session', args)
    expect((await call<KilledSession>('kill_session', { name: 'clean' })).worktree).toEqual({
      is: 'kept',
      path,
      branch: 'signalbox/clean',
    })
    const removed = await call<KilledSession>('kill_session', { name: 'clean', remove: true })
    expect(removed.worktree).toEqual({
      is: 'removed',
      path,
      branch: 'signalbox/clean',
      output: `good bye from ${path}`,
    })
    expect(existsSync(path)).toBe(false)
    expect(isBranchThere(repository, 'signalbox/clean')).toBe(false)
    expect(git(repository, 'worktree', 'list', '--porcelain')).not.toContain(path)
    expect(readFileSync(join(world.home, 'workspaces', 'torn-down'), 'utf8')).toBe(`${path}\n`)
    // A new session of that name begins from nothing.
    expect((await call<Session>('create_session', args)).last_message).toBeUndefined()
  })
})

test.each([
  ['an untracked file', (path: string) => writeFileSync(join(path, 'mine'), ''), /uncommitted or untracked.*mine/],
  ['a change', (path: string) => writeFileSync(join(path, 'file'), 'mine'), /uncommitted or untracked.*file/],
  [
    'a commit',
    (path: string) => git(path, 'commit', '--allow-empty', '-m', 'mine'),
    /commits that are on no other branch/,
  ],
  [
    'a commit on no branch',
    (path: string) => {
      git(path, 'checkout', '--quiet', '--detach')
      git(path, 'commit', '--allow-empty', '-m', 'mine')
    },
    /commits that are on no other branch/,
  ],
  ['a damaged repository', (path: string) => writeFileSync(join(path, '.git'), 'gitdir: /nowhere\n'), /git/],
])('kill_session with remove keeps a worktree with %s and says why', async (_, work, why) => {
  const { call, repository, sessions } = await begin([], withoutPrograms)
  // People may hide untracked files from "git status".
  git(repository, 'config', 'status.showUntrackedFiles', 'no')
  const { workspacePath: path } = await addQueued(sessions, 'kept', { workingDir: repository, worktree: true })
  work(path)
  const before = readdirSync(path)
  const { worktree } = await call<KilledSession>('kill_session', { name: 'kept', remove: true })
  expect(worktree).toMatchObject({ is: 'kept', path, why: expect.stringMatching(why) as string })
  expect(readdirSync(path)).toEqual(before)
  expect(isBranchThere(repository, 'signalbox/kept')).toBe(true)
})

test('the hub runs no program that an agent names in a submodule or in another git directory', async () => {
  const { call, repository, home, sessions } = await begin([], withoutPrograms)
  const mark = join(home, 'ran')
  const filtered = (directory: string) => {
    const made = createRepository(directory)
    writeFileSync(join(made, '.gitattributes'), '* filter=evil\n')
    writeFileSync(join(made, 'file'), 'next\n')
    git(made, 'config', 'filter.evil.clean', `touch ${mark}; cat`)
    git(made, 'config', 'filter.evil.smudge', `touch ${mark}; cat`)
    return made
  }
  const place = { workingDir: repository, worktree: true }
  const { workspacePath: path } = await addQueued(sessions, 'planted', place)
  filtered(join(path, 'sub'))
  git(path, '-c', 'advice.addEmbeddedRepo=false', 'add', 'sub')
  const { worktree } = await call<KilledSession>('kill_session', { name: 'planted', remove: true })
  expect(worktree).toMatchObject({ is: 'kept', why: expect.stringContaining('submodules') as string })

  const other = filtered(join(home, 'other'))
  writeFileSync(join(repository, '.git/commondir'), join(other, '.git'))
  await expect(addQueued(sessions, 'second', place)).rejects.toThrow('An agent may have made it')
  expect(existsSync(mark)).toBe(false)
})

test('kill_session with remove keeps a worktree that another session works in', async () => {
  const { call, repository, sessions } = await begin([], withoutPrograms)
  const { workspacePath: path } = await addQueued(sessions, 'shared', { workingDir: repository, worktree: true })
  await addQueued(sessions, 'guest', { workingDir: path })
  const { worktree } = await call<KilledSession>('kill_session', { name: 'shared', remove: true })
  expect(worktree).toMatchObject({ is: 'kept', why: 'The session "guest" works in it.' })
  expect(existsSync(path)).toBe(true)
})

test('kill_session with remove keeps a worktree whose tear-down fails', async () => {
  const template = { name: 'stuck', command: 'true', worktree_teardown: 'echo "still mounted"; exit 4' }
  const { call, repository } = await begin([template])
  const args = { name: 'stuck', template: 'stuck', working_dir: repository, worktree: true, wait }
  const { workspace_path: path } = await call<Session>('create_session', args)
  const { worktree } = await call<KilledSession>('kill_session', { name: 'stuck', remove: true })
  expect(worktree).toMatchObject({
    is: 'kept',
    why: expect.stringMatching(
      /^worktree_teardown of the template "stuck" ended with exit code 4: still mounted/,
    ) as string,
  })
  expect(existsSync(path)).toBe(true)
})

test('kill_session with remove never removes a worktree that a person made, nor a branch that was there before', async () => {
  const { call, repository, home, sessions } = await begin([], withoutPrograms)
  const place = { workingDir: repository, worktree: true }
  const path = join(home, 'workspaces', 'own')
  git(repository, 'worktree', 'add', '--quiet', '-b', 'own', path)
  await addQueued(sessions, 'own', place)
  expect((await call<KilledSession>('kill_session', { name: 'own', remove: true })).worktree).toBeUndefined()
  expect(existsSync(path)).toBe(true)

  git(repository, 'branch', 'signalbox/mine')
  await addQueued(sessions, 'mine', place)
  expect((await call<KilledSession>('kill_session', { name: 'mine', remove: true })).worktree).toMatchObject({
    is: 'removed',
  })
  expect(isBranchThere(repository, 'signalbox/mine')).toBe(true)
  expect(execFileSync('ls', [join(home, 'workspaces')], { encoding: 'utf8' })).toBe('own\n')
})
