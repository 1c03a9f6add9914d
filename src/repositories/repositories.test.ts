/** Repositories without the rest of the hub, with the real index: how they are stored, shared and removed. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDemoRepository } from '../../test/fixtures/demo-repository.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { EventPlace } from '../api/event.ts'
import { HubError } from '../base/hub-error.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import { openRepositoryIndexes } from '../index/index.ts'
import { createNotices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import { openStore } from '../store/store.ts'
import type { AnswerModels } from './answer.ts'
import { createRepositoryStore } from './repository-store.ts'
import { createRepositories } from './repositories.ts'
import type { RepositorySession } from './repository.ts'

const log = createLog({ level: 'error', redactor: createRedactor() })
const signal = new AbortController().signal
const place: EventPlace = {}
const noModel: AnswerModels = {
  whyNot: () => 'No model is configured.',
  find: () => {
    throw new HubError('unavailable', 'No model is configured.')
  },
  stream: () => Promise.reject(new Error('there is no model')),
}

function open(store: Store, { hubId = 'hub', folder = temporaryDirectory(), models = noModel } = {}) {
  const home = join(folder, 'home')
  mkdirSync(join(home, 'workspaces'), { recursive: true })
  let opened = 0
  const repositories = createRepositories({
    store,
    hubId,
    notices: createNotices(),
    log,
    openIndexes: async () => {
      opened++
      return openRepositoryIndexes({ directory: join(home, 'indexes'), env: { PATH: process.env['PATH'] ?? '' }, log })
    },
    pathMap: [],
    places: { home, workspaces: join(home, 'workspaces') },
    models,
  })
  onTestFinished(() => repositories[Symbol.asyncDispose]())
  return { repositories, folder, home, openedEngines: () => opened }
}

async function openOwnStore(): Promise<Store> {
  const store = await openStore({ sqliteDir: temporaryDirectory() })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return store
}

describeOnEachEngine('repositories', (openEngine) => {
  test('are kept for the next hub, which refreshes them, and not for a hub on another machine', async () => {
    const { store, reopen } = await openEngine()
    const { repositories, folder } = open(store)
    const demo = createDemoRepository(join(folder, 'demo'))
    const added = await repositories.add({ path: demo })
    expect(await repositories.add({ path: demo })).toEqual(added)
    await repositories.refresh(added)
    await repositories[Symbol.asyncDispose]()
    writeFileSync(join(demo, 'later.ts'), 'export const later = 1\n')

    const next = open(await reopen(), { folder })
    await next.repositories.start?.()
    expect(next.openedEngines()).toBe(0)
    expect(await next.repositories.list()).toEqual([added])
    await expect.poll(async () => (await next.repositories.describe(added)).index.files, { timeout: 60_000 }).toBe(4)
    const elsewhere = open(await reopen(), { hubId: 'other' })
    expect(await elsewhere.repositories.list()).toEqual([])
    await expect(elsewhere.repositories.find('demo')).rejects.toThrow('There is no repository "demo"')
  })
})

test('a hub without repositories does not load the engine', async () => {
  const { repositories, openedEngines } = open(await openOwnStore())
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await repositories.start?.()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await repositories.list()).toEqual([])
  await expect(repositories.find('x')).rejects.toThrow('There is no repository "x"')
  expect(openedEngines()).toBe(0)
})

test('a hub has at most a hundred repositories, and the error for one more says what to do', async () => {
  const store = await openOwnStore()
  const rows = createRepositoryStore(store, 'hub')
  for (let number = 0; number < 100; number++) {
    const id = `r${number}`
    await rows.insert({ id, name: id, path: `/${id}`, ref: undefined, workspace: undefined, addedAt: 'now' })
  }
  const { repositories, folder } = open(store)
  mkdirSync(join(folder, 'more'))
  await expect(repositories.add({ path: join(folder, 'more') })).rejects.toThrow(
    'There are 100 repositories, which is the most. Call remove_repository for one that is not needed.',
  )
})

test('without a model, the answer is ranked citations, and says so', async () => {
  const { repositories, folder } = open(await openOwnStore())
  const demo = await repositories.add({ path: createDemoRepository(join(folder, 'demo')) })
  const answer = await repositories.ask(demo, { question: 'where is a call authorized?', place, signal })
  expect(answer.answer).toContain(
    'No model has answered. These are the best matches of a search: No model is configured.',
  )
  expect(answer.answer).toContain('(src/gate.ts:')
  expect(answer.citations[0]).toMatchObject({ path: 'src/gate.ts', symbol: 'authorize' })
  expect(answer).not.toHaveProperty('provider')
  await expect(repositories.ask(demo, { question: 'x', model: 'openai/x', place, signal })).rejects.toThrow(
    'No model is configured.',
  )
})

test('sessions share the index of their workspace, and the index is removed when no session has it', async () => {
  const store = await openOwnStore()
  const rows = createRepositoryStore(store, 'hub')
  const { repositories, folder } = open(store)
  const workspacePath = createDemoRepository(join(folder, 'work'))
  let sessions: RepositorySession[] = [
    { name: 'one', template: 'plain', workspacePath, workspaceFolder: undefined, labels: [] },
    { name: 'two', template: 'plain', workspacePath, workspaceFolder: undefined, labels: [] },
  ]
  const mount = repositories.createMount({
    sessions: { find: async (id) => sessions[Number(id)]!, list: async () => sessions },
    templates: { find: () => ({ template: { repositories: [] } }) },
  })
  const searchAs = async (session: string) => {
    const [provider] = mount.providersOf!(session, undefined as never)
    await provider!.waitForStart?.()
    const tool = provider!.tools!().find(({ name }) => name === 'repositories_search')
    const call = { signal, progress: () => {}, correlation: 'c' }
    const result = await tool!.run({ query: 'authorize' }, call as never)
    return (result as { structuredContent?: { hits: unknown } }).structuredContent?.hits
  }
  expect(await searchAs('0')).toMatchObject([{ repository: 'workspace', path: 'src/gate.ts' }])
  expect(await searchAs('1')).toMatchObject([{ repository: 'workspace', path: 'src/gate.ts' }])
  expect(await rows.listWorkspaces()).toHaveLength(1)
  expect(await repositories.list()).toEqual([])
  const [workspace] = await rows.listWorkspaces()
  await expect(repositories.find(workspace!.id)).rejects.toThrow('There is no repository')

  sessions = [sessions[0]!]
  await mount.sweeps![0]!.run()
  expect(await rows.listWorkspaces()).toHaveLength(1)

  // A person adds the same folder: from now on it is that repository.
  await repositories.add({ path: workspacePath, name: 'ours' })
  expect(await searchAs('0')).toMatchObject([{ repository: 'ours' }])

  sessions = []
  await mount.sweeps![0]!.run()
  expect(await rows.listWorkspaces()).toEqual([])
})

test('an index whose folder is gone still answers, and its status says what is wrong', async () => {
  const { repositories, folder } = open(await openOwnStore())
  const path = createDemoRepository(join(folder, 'gone'))
  const record = await repositories.add({ path })
  await repositories.refresh(record)
  rmSync(path, { recursive: true })
  await repositories.refresh(record).catch(() => {})
  expect((await repositories.describe(record)).index).toMatchObject({
    files: 3,
    last_error: expect.stringContaining('cannot be read'),
  })
  expect(await repositories.search(record, { query: 'authorize' })).toMatchObject([{ path: 'src/gate.ts' }])
  await repositories.remove(record)
  expect(await repositories.list()).toEqual([])
})
