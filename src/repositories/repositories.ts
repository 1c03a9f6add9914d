/**
 * Repositories: folders that are indexed, so that people and agents can search them and ask about them.
 *
 *   add → record → index in the background → watched → search, read, ask
 */
import { randomBytes } from 'node:crypto'
import { basename, join } from 'node:path'
import type { RepositoryView } from '../api/repository.ts'
import { repositoryNamePattern } from '../api/repository.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { nearest } from '../base/nearest.ts'
import { createSerial } from '../base/serial.ts'
import type { MappedPath } from '../config/config.ts'
import type { RepositoryIndexes } from '../index/index.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { HubPlaces } from './folder.ts'
import { findFolder, realFolder } from './folder.ts'
import { createKeptIndexes, sourceOf } from './kept-indexes.ts'
import { createPathMap } from './path-map.ts'
import { readLines, assertInnerPath, isInnerPath } from './read-lines.ts'
import { createRepositoryResources } from './repository-resources.ts'
import { createRepositoryProvider } from './repository-tools.ts'
import { createRepositoryStore } from './repository-store.ts'
import type { AnswerModels } from './answer.ts'
import { answerQuestion } from './answer.ts'
import { createAgentMount } from './agent-mount.ts'
import { createWorkspaceRecords, workspaceName } from './workspace-records.ts'
import { repositoriesUri, repositoryUri } from './repository-uris.ts'
import type { AddRequest, IndexedContent, Repositories, RepositoryActions, RepositoryRecord } from './repository.ts'

export { embeddingsOf } from './embeddings-of.ts'
export { createRepositoryQueries } from './query/query.ts'
export type { RepositoryQueries } from './query/query.ts'
export type { IndexedContent, Repositories } from './repository.ts'

export interface RepositoriesOptions {
  readonly store: Store
  readonly hubId: string
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly log: Log
  /** Loads the engine. Called when the first index is needed. */
  readonly openIndexes: () => Promise<RepositoryIndexes>
  readonly pathMap: readonly MappedPath[]
  readonly places: HubPlaces
  /** The models that answer questions. Without a model, a search answers. */
  readonly models: AnswerModels
}

/** Each one has an index on disk and is watched as long as the hub runs. */
const mostRepositories = 100
const defaultHits = 10
/** The hub answers its first requests before it looks for changes. */
const resumeAfterMs = 2_000

export function createRepositories(options: RepositoriesOptions): Repositories {
  const { store, hubId, notices, log, openIndexes, places, models } = options
  const rows = createRepositoryStore(store, hubId)
  const map = createPathMap(options.pathMap)
  const oneByOne = createSerial()
  const indexes = createKeptIndexes({
    open: openIndexes,
    log,
    onChange(ids) {
      notices.resourceChanged(repositoriesUri)
      for (const id of ids) notices.resourceChanged(repositoryUri(id))
    },
  })
  const workspaces = createWorkspaceRecords({ rows, indexes, places })
  let resuming: NodeJS.Timeout | undefined

  async function add({ path: given, name, ref }: AddRequest): Promise<RepositoryRecord> {
    const path = findFolder(given, map, places)
    const all = await rows.list()
    const known = all.find((each) => each.path === path && each.ref === ref)
    if (known && name !== undefined && name !== known.name) {
      throw new HubError(
        'conflict',
        `"${path}" is already there as "${known.name}". Call remove_repository first to give it another name.`,
      )
    }
    if (known) return known
    if (all.length >= mostRepositories) {
      throw new HubError(
        'conflict',
        `There are ${mostRepositories} repositories, which is the most. Call remove_repository for one that is not needed.`,
      )
    }
    const names = new Set([workspaceName, ...all.map((each) => each.name)])
    if (name !== undefined && names.has(name)) {
      throw new HubError('conflict', `There is a repository "${name}" already. Choose another name.`)
    }
    const record: RepositoryRecord = {
      id: `r${randomBytes(8).toString('hex')}`,
      name: name ?? freeName(basename(path), names),
      path,
      ref,
      workspace: undefined,
      addedAt: new Date().toISOString(),
    }
    await rows.insert(record)
    indexes.follow(record)
    notices.resourceChanged(repositoriesUri)
    return record
  }

  async function find(identifier: string): Promise<RepositoryRecord> {
    const all = await rows.list()
    const found = findIn(all, identifier)
    if (found) return found
    const meant = nearest(
      identifier,
      all.map(({ name }) => name),
    )
    const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`
    throw new HubError(
      'not-found',
      `There is no repository "${identifier}".${guess} Call list_repositories for the names, or add_repository for a new one.`,
    )
  }

  /** The working tree of a path comes before its refs. */
  function findIn(all: readonly RepositoryRecord[], identifier: string): RepositoryRecord | undefined {
    const byName = all.find(({ id, name }) => id === identifier || name === identifier)
    if (byName) return byName
    const paths = [identifier, map.fromHost(identifier)].flatMap((path) =>
      path === undefined ? [] : [path, realFolder(path)],
    )
    const atPath = all.filter(({ path }) => paths.includes(path))
    return atPath.find(({ ref }) => ref === undefined) ?? atPath[0]
  }

  async function describe(record: RepositoryRecord): Promise<RepositoryView> {
    const { id, name, path, ref, addedAt } = record
    return {
      id,
      name,
      path,
      host_path: map.toHost(path),
      ...(ref !== undefined && { ref }),
      added_at: addedAt,
      index: await indexes.status(record),
    }
  }

  const contentOf: RepositoryActions['contentOf'] = async (record, wait) => {
    const engine = await indexes.ready(record, wait)
    const source = sourceOf(record)
    const content: IndexedContent = {
      repository: record,
      hostPathOf: (path) => map.toHost(join(record.path, path)),
      async search({ query, mode = 'lexical', path, limit = defaultHits }, signal) {
        const hits = await engine.search(source, { query, mode, path, limit }, signal)
        return hits.map((hit) => ({ repository: record.name, ...hit }))
      },
      read: async (path, lines) => (isInnerPath(path) ? engine.read(source, path, lines) : undefined),
      list: (glob, limit) => engine.list(source, glob, limit),
    }
    return content
  }

  /** Lazily: nothing waits for it, and a hub without repositories does not load the engine. */
  async function resume(): Promise<void> {
    for (const record of await rows.list()) indexes.follow(record)
  }

  const repositories: RepositoryActions = {
    add: (request) => oneByOne(() => add(request)),
    list: () => rows.list(),
    find,
    describe,
    refresh: (record, wait) => indexes.refresh(record, wait),
    remove: (record) =>
      oneByOne(async () => {
        // The record goes last: a hub that dies in between still has it, and can remove it again.
        await indexes.remove(record.id)
        await rows.remove(record.id)
        notices.resourceChanged(repositoriesUri)
        notices.resourceChanged(repositoryUri(record.id))
      }),
    search: async (record, request, wait) => (await contentOf(record, wait)).search(request, wait?.signal),
    async read(record, request, wait) {
      assertInnerPath(request.path)
      return readLines(await contentOf(record, wait), request)
    },
    contentOf,
    ask: async (record, { onProgress, ...request }) =>
      answerQuestion(models, { ...request, content: await contentOf(record, { signal: request.signal, onProgress }) }),
  }

  return {
    ...repositories,
    providers: [{ ...createRepositoryProvider(repositories), ...createRepositoryResources(repositories) }],
    createMount: (mount) => createAgentMount({ hubId, repositories, workspaces }, mount),
    async start() {
      resuming = setTimeout(() => {
        resume().catch((error: unknown) => log.warn({ error }, 'could not refresh the repositories'))
      }, resumeAfterMs).unref()
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(resuming)
      await indexes[Symbol.asyncDispose]()
    },
  }
}

/** The name of a folder may have characters that a name may not. */
function freeName(folder: string, taken: ReadonlySet<string>): string {
  const plain = folder
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 60)
  const name = repositoryNamePattern.test(plain) ? plain : 'repository'
  for (let number = 2, free = name; ; free = `${name}-${number++}`) if (!taken.has(free)) return free
}
