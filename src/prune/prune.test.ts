/** Tests which data prune removes, and which data it never touches. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRepository, git, isBranchThere } from '../../test/fixtures/git-repository.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { UsedWorld } from '../../test/worlds/session-world.ts'
import { addQueued, useSqliteWorld, useWorld } from '../../test/worlds/session-world.ts'
import { toCall } from '../../test/worlds/terminal-toolbox.ts'
import type { Pruned, PruneSource } from '../api/prune.ts'
import { livingStatuses } from '../api/session.ts'
import { createRedactor } from '../base/redact.ts'
import { createFace } from '../endpoint/endpoint.ts'
import type { CallToolResult } from '../mcp/mcp.ts'
import { createNotices } from '../mcp/mcp.ts'
import type { Retention } from './prune.ts'
import { createPrune } from './prune.ts'
import { createThreads } from '../threads/threads.ts'
import { createTokens } from '../tokens/tokens.ts'

const { signal } = new AbortController()
const signals = { emit() {} }
const forever: Retention = { sessionsMs: undefined, journalsMs: undefined }
const day = 86_400_000
/** Queued jobs live, and cancelled ones have ended. Neither needs a program. */
const withoutPrograms = { jobConcurrency: 0 }

function openPrune(sources: readonly PruneSource[], { retention = forever, daysAhead = 0 } = {}) {
  const feature = createPrune({
    sources,
    retention,
    log: { info: () => {}, warn: () => {} },
    now: () => new Date(Date.now() + daysAhead * day),
  })
  const face = createFace({
    id: 'management',
    info: { name: 'test', version: '0' },
    instructions: '',
    providers: [...feature.providers!],
  })
  return {
    feature,
    async prune(args: Readonly<Record<string, unknown>> = {}): Promise<Pruned> {
      const result = (await face.callTool(face.findTool('prune')!, args, toCall())) as CallToolResult
      if (result.isError) throw new Error(JSON.stringify(result.content))
      return result.structuredContent as Pruned
    },
  }
}

const namesOf = (items: Pruned['gone']) => items.map(({ what, name }) => `${what} ${name}`).toSorted()

async function end({ sessions }: Pick<UsedWorld, 'sessions'>, name: string): Promise<void> {
  await sessions.kill(await sessions.find(name), { remove: false })
}

describeOnEachEngine('prune', (open) => {
  test('previews by default, and with dry_run false removes ended sessions, their files and revoked tokens', async () => {
    const world = useWorld(await open())
    const { sessions, store, home } = world
    const tokens = createTokens({ store, signals, findSession: async (id) => ({ id }) })
    const { prune } = openPrune([...sessions.prunable, tokens.prunable])
    const { record: lives } = await sessions.create({ name: 'lives', command: 'cat' }, signal)
    const { record: ended } = await sessions.create({ name: 'ended', command: 'cat' }, signal)
    await end(world, 'ended')
    const revoked = await tokens.issue({ role: 'human', label: 'old phone' })
    await tokens.revoke(revoked.id)
    const valid = await tokens.issue({ role: 'human', label: 'phone' })

    const preview = await prune()
    expect(preview).toMatchObject({ dry_run: true, kept: [] })
    expect(namesOf(preview.gone)).toEqual(['sessions ended', 'tokens old phone'])
    expect((await sessions.list({})).length).toBe(2)

    const pruned = await prune({ dry_run: false })
    expect({ ...pruned, dry_run: true }).toEqual(preview)
    expect((await sessions.list({})).map(({ name }) => name)).toEqual(['lives'])
    expect(existsSync(join(home, 'sessions', ended.id))).toBe(false)
    expect(existsSync(join(home, 'sessions', lives.id))).toBe(true)
    expect(existsSync(join(home, 'workspaces', 'ended'))).toBe(true)
    expect((await tokens.list(undefined, 10)).map(({ id }) => id)).toEqual([valid.id])
    expect(await tokens.authenticate(revoked.text)).toBeUndefined()
    expect(await tokens.authenticate(valid.text)).toBeDefined()
    expect(await prune({ dry_run: false })).toMatchObject({ gone: [], kept: [] })
  })

  test('removes old threads that no session continues, and no others', async () => {
    const { sessions, store } = useWorld(await open(), [], withoutPrograms)
    const { id: session } = await addQueued(sessions, 'lives')
    const findSession = (name: string) => sessions.find(name)
    const threads = createThreads({ store, notices: createNotices(), signals, redactor: createRedactor(), findSession })
    const entry = { type: 'prompt', key: 'p1', at: '2026-01-01T00:00:00.000Z', text: 'hi' } as const
    await threads.writerOf({ id: session, name: 'lives', agent: 'claude' }).append('c1', [entry])
    const fork = (label: string) => threads.fork('lives', { label })
    const [continued, old, fresh] = [await fork('continued'), await fork('old'), await fork('new')]
    await threads.attach(continued.thread_id, { id: session, name: 'lives' }, undefined)
    const made = '2026-01-01T00:00:00.000Z'
    await store.db.updateTable('threads').set({ created_at: made }).where('label', 'in', ['continued', 'old']).execute()

    const sources = [threads.prunable]
    const first = { what: 'threads', id: old.thread_id, name: 'old', since: made }
    expect(await openPrune(sources).prune()).toMatchObject({ gone: [first], kept: [{ name: 'new' }] })
    const sweeping = openPrune(sources, { retention: { sessionsMs: day, journalsMs: undefined } })
    for (const { run } of sweeping.feature.sweeps ?? []) await run()
    await expect(threads.find(old.thread_id)).rejects.toThrow(old.thread_id)
    for (const kept of [continued, fresh]) expect(await threads.entriesOf(kept.thread_id)).toHaveLength(1)
    expect(await threads.entriesOf(old.thread_id)).toEqual([])
  })

  test('a thread that a session continues meanwhile is not pruned', async () => {
    const { sessions, store } = useWorld(await open(), [], withoutPrograms)
    const { id: session } = await addQueued(sessions, 'lives')
    const findSession = (name: string) => sessions.find(name)
    const threads = createThreads({ store, notices: createNotices(), signals, redactor: createRedactor(), findSession })
    const { thread_id: id } = await threads.importThread('[{"role":"user","content":"hi"}]', { format: 'anthropic' })
    const [candidate] = await threads.prunable.list(new Date())
    await threads.attach(id, { id: session, name: 'lives' }, undefined)
    expect(await candidate!.remove()).toContain('A session continues it')
    expect(await threads.entriesOf(id)).toHaveLength(1)
  })
})

test('journals can be removed without their sessions, and only after the requested time', async () => {
  const world = await useSqliteWorld()
  const { sessions, home } = world
  const { record } = await sessions.create({ name: 'ended', command: 'cat' }, signal)
  await end(world, 'ended')
  const what = ['journals']
  expect((await openPrune(sessions.prunable).prune({ what, older_than: '7d', dry_run: false })).gone).toEqual([])
  const later = openPrune(sessions.prunable, { daysAhead: 8 })
  expect(namesOf((await later.prune({ what, older_than: '7d', dry_run: false })).gone)).toEqual(['journals ended'])
  expect(existsSync(join(home, 'sessions', record.id))).toBe(false)
  expect(await sessions.find('ended')).toMatchObject({ status: 'stopped' })
})

test('the settings for retention apply by themselves, and keep everything by default', async () => {
  const world = await useSqliteWorld([], withoutPrograms)
  const { sessions } = world
  await addQueued(sessions, 'ended')
  await end(world, 'ended')
  expect(openPrune(sessions.prunable).feature.sweeps).toEqual([])
  const sweepAfter = async (daysAhead: number) => {
    const retention = { sessionsMs: 30 * day, journalsMs: undefined }
    for (const { run } of openPrune(sessions.prunable, { retention, daysAhead }).feature.sweeps ?? []) await run()
    return (await sessions.list({})).length
  }
  expect(await sweepAfter(29)).toBe(1)
  expect(await sweepAfter(31)).toBe(0)
})

test('a session whose files cannot be removed stays, with the reason', async () => {
  const sources: PruneSource[] = [
    {
      what: 'sessions',
      list: async () => [
        {
          id: 's1',
          name: 'stuck',
          since: '2026-01-01T00:00:00.000Z',
          remove: () => Promise.reject(new Error('EACCES')),
        },
      ],
    },
  ]
  expect(await openPrune(sources).prune({ dry_run: false })).toMatchObject({
    gone: [],
    kept: [{ id: 's1', why: 'EACCES' }],
  })
})

/** The ways in which a worktree can be left. Each of these must be kept. */
const works = {
  change: (path: string) => writeFileSync(join(path, 'file'), 'changed'),
  staged(path: string) {
    writeFileSync(join(path, 'staged'), '')
    git(path, 'add', 'staged')
  },
  untracked: (path: string) => writeFileSync(join(path, 'untracked'), ''),
  folder(path: string) {
    mkdirSync(join(path, 'deep', 'er'), { recursive: true })
    writeFileSync(join(path, 'deep', 'er', 'file'), '')
  },
  // With its path, because the same commit in another worktree would keep it.
  commit: (path: string) => void git(path, 'commit', '--quiet', '--allow-empty', '-m', path),
  detached(path: string) {
    git(path, 'checkout', '--quiet', '--detach')
    git(path, 'commit', '--quiet', '--allow-empty', '-m', `${path} on no branch`)
  },
  damaged: (path: string) => writeFileSync(join(path, '.git'), 'gitdir: /nowhere\n'),
  unlinked: (path: string) => rmSync(join(path, '.git')),
} as const
/** Content that does not keep a worktree, because it is not lost with the worktree. */
const harmless = {
  nothing: () => {},
  ignored(path: string) {
    mkdirSync(join(path, 'node_modules'))
    writeFileSync(join(path, 'node_modules', 'a'), '')
  },
  merged(path: string, repository: string) {
    git(path, 'commit', '--quiet', '--allow-empty', '-m', 'merged')
    git(repository, 'merge', '--quiet', '--ff', git(path, 'rev-parse', 'HEAD').trim())
  },
} as const

/** In this order, because git cannot be used in a worktree after the last ones. */
const allWorks = Object.keys(works) as (keyof typeof works)[]

const leftWorktree = fc.record({
  isLiving: fc.nat(3).map((number) => number === 0),
  works: fc.uniqueArray(fc.constantFrom(...allWorks), { maxLength: 2 }),
  harmless: fc.constantFrom(...(Object.keys(harmless) as (keyof typeof harmless)[])),
})

type LeftWorktree = typeof leftWorktree extends fc.Arbitrary<infer Left> ? Left : never

/** Each work alone, so that nothing else keeps its worktree. */
const alone: LeftWorktree[] = [
  ...allWorks.map((work): LeftWorktree => ({ isLiving: false, works: [work], harmless: 'nothing' })),
  { isLiving: true, works: [], harmless: 'nothing' },
]

test('never touches a living session, uncommitted or untracked work, or a commit that is nowhere else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(leftWorktree, { minLength: 1, maxLength: 2 }), fc.boolean(), async (left, hides) => {
      const world = await useSqliteWorld([], withoutPrograms)
      const { sessions, home } = world
      const add = async (name: string, spec: { workingDir?: string; worktree?: boolean }) => {
        const record = await addQueued(sessions, name, spec)
        mkdirSync(join(home, 'sessions', record.id), { recursive: true })
        return record
      }
      const repository = createRepository(join(home, 'repository'))
      writeFileSync(join(repository, '.gitignore'), 'node_modules\n')
      git(repository, 'add', '.gitignore')
      git(repository, 'commit', '--quiet', '-m', 'ignore')
      if (hides) git(repository, 'config', 'status.showUntrackedFiles', 'no')
      const made = []
      for (const [index, each] of left.entries()) {
        const name = `tree-${index}`
        const record = await add(name, { workingDir: repository, worktree: true })
        if (!each.isLiving) await end(world, name)
        harmless[each.harmless](record.workspacePath, repository)
        for (const work of allWorks) if (each.works.includes(work)) works[work](record.workspacePath)
        made.push({ ...each, record, path: record.workspacePath, branch: `signalbox/${name}` })
      }
      // A person's own work, in a repository and in a plain workspace.
      writeFileSync(join(repository, 'mine'), 'uncommitted')
      await add('guest', { workingDir: repository })
      await end(world, 'guest')
      const plain = await add('plain', {})
      writeFileSync(join(plain.workspacePath, 'mine'), '')
      await end(world, 'plain')

      const before = made.map(({ path }) => contentsOf(path))
      const others = contentsOf(repository, plain.workspacePath)
      const commits = commitsOf(repository)
      const { prune } = openPrune(sessions.prunable)
      const preview = await prune()
      expect(made.map(({ path }) => contentsOf(path))).toEqual(before)
      const pruned = await prune({ dry_run: false })
      expect({ ...pruned, dry_run: true }).toEqual(preview)

      const living = await sessions.list({ statuses: livingStatuses })
      expect(living.map(({ id }) => id).toSorted()).toEqual(
        made.flatMap(({ isLiving, record: { id } }) => (isLiving ? [id] : [])).toSorted(),
      )
      for (const [index, { isLiving, works: done, record, path, branch }] of made.entries()) {
        const isNeeded = isLiving || done.length > 0
        expect(existsSync(join(home, 'sessions', record.id))).toBe(isLiving)
        expect(existsSync(path)).toBe(isNeeded)
        expect(isBranchThere(repository, branch)).toBe(isNeeded)
        expect(pruned.kept.some(({ what, id }) => what === 'worktrees' && id === path)).toBe(isNeeded)
        if (isNeeded) expect(contentsOf(path)).toEqual(before[index])
      }
      expect(contentsOf(repository, plain.workspacePath)).toEqual(others)
      expect(commitsOf(repository)).toEqual(commits)
    }),
    { numRuns: 6, examples: [[alone, true]] },
  )
}, 600_000)

test('of two worktrees that alone share a commit, one stays', async () => {
  const { sessions, home } = await useSqliteWorld([], withoutPrograms)
  const repository = createRepository(join(home, 'repository'))
  const paths = []
  for (const name of ['one', 'two']) {
    const record = await addQueued(sessions, name, { workingDir: repository, worktree: true })
    await sessions.kill(record, { remove: false })
    paths.push(record.workspacePath)
  }
  git(paths[0]!, 'commit', '--quiet', '--allow-empty', '-m', 'shared')
  git(paths[1]!, 'reset', '--quiet', '--hard', 'signalbox/one')
  const commits = commitsOf(repository)
  const { gone, kept } = await openPrune(sessions.prunable).prune({ what: ['worktrees'], dry_run: false })
  expect([gone.length, kept.length]).toEqual([1, 1])
  expect(commitsOf(repository)).toEqual(commits)
})

/** Every file with its content, without git's own. */
function contentsOf(...directories: readonly string[]): readonly string[] {
  return directories.flatMap((directory) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.includes('/.git/'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => `${file}: ${readFileSync(file, 'utf8')}`)
      .toSorted(),
  )
}

/** Every commit that a branch or the HEAD of a worktree reaches. */
function commitsOf(repository: string): readonly string[] {
  return git(repository, 'rev-list', '--all').trim().split('\n').toSorted()
}
