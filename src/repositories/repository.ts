/** The interface of repositories, for the rest of the hub and for the files of this folder. */
import type { EventPlace } from '../api/event.ts'
import type { Hit, IndexStatus, RepositoryAnswer, RepositoryView, SearchMode } from '../api/repository.ts'
import type { WorkspaceOwner } from '../base/workspace-folder.ts'
import type { Feature } from '../feature/feature.ts'
import type { FileLines } from '../index/index.ts'
import type { WaitOptions } from './kept-indexes.ts'
import type { VisibleRepositories } from './query/query.ts'
import type { RepositoryRecord } from './repository-store.ts'

export type { RepositoryRecord } from './repository-store.ts'

/** Everything that its own tools need. */
export interface RepositoryActions {
  /** Indexes a folder in the background. The same path and ref again give the same repository. */
  add(request: AddRequest): Promise<RepositoryRecord>
  /** Those that people added, by name. */
  list(): Promise<readonly RepositoryRecord[]>
  /** By id, by name, or by path as the hub or the host sees it. Throws if no person added it. */
  find(identifier: string): Promise<RepositoryRecord>
  describe(record: RepositoryRecord): Promise<RepositoryView>
  /** Resolves when the index is up to date. Rejects if that failed; the refresh continues if the caller leaves. */
  refresh(record: RepositoryRecord, options?: WaitOptions): Promise<IndexStatus>
  remove(record: RepositoryRecord): Promise<void>
  /** Best first. Waits for a first index. */
  search(record: RepositoryRecord, request: SearchRequest, options?: WaitOptions): Promise<readonly Hit[]>
  /** Lines as they were indexed. Throws if the index has no such file. */
  read(record: RepositoryRecord, request: ReadRequest, options?: WaitOptions): Promise<FileLines>
  /** Waits for a first index. */
  contentOf(record: RepositoryRecord, options?: WaitOptions): Promise<IndexedContent>
  /** A model answers, with checked citations. Without a model, the answer is the citations that a search finds. */
  ask(record: RepositoryRecord, request: AskRequest): Promise<RepositoryAnswer>
}

export interface Repositories extends RepositoryActions, Feature, AsyncDisposable {
  /** The mount of agents. */
  createMount(options: AgentMountOptions): AgentMount
}

export interface AgentMount extends Feature {
  /** Those that the agent of a session may use, or a person, if there is no session. */
  visibleTo(session: string | undefined): VisibleRepositories
}

/** The part of sessions and templates that the mount of an agent needs. */
export interface AgentMountOptions {
  readonly sessions: {
    /** By id. Throws if there is no such session. */
    find(id: string): Promise<RepositorySession>
    list(filter: { readonly hubId: string }): Promise<readonly RepositorySession[]>
  }
  readonly templates: {
    /** Throws if it is missing or broken. */
    find(name: string): { readonly template: { readonly repositories: readonly string[] } }
  }
}

export interface RepositorySession extends WorkspaceOwner {
  readonly template: string
  readonly labels: readonly string[]
}

export interface AddRequest {
  readonly path: string
  /** Default: the name of the folder, with a number if that is taken. */
  readonly name?: string | undefined
  readonly ref?: string | undefined
}

export interface SearchRequest {
  readonly query: string
  readonly mode?: SearchMode | undefined
  /** A glob over paths. */
  readonly path?: string | undefined
  readonly limit?: number | undefined
}

export interface ReadRequest {
  readonly path: string
  readonly start?: number | undefined
  readonly end?: number | undefined
}

export interface AskRequest {
  readonly question: string
  /** `provider/model`. By default the configured one. */
  readonly model?: string | undefined
  /** Where the calls of the model belong in the record. */
  readonly place: EventPlace
  readonly signal: AbortSignal
  /** While a first index is made. */
  readonly onProgress?: WaitOptions['onProgress']
  readonly onFrame?: ((frame: AnswerFrame) => void) | undefined
}

/** A piece of what the model thinks, or of its answer. */
export interface AnswerFrame {
  readonly type: 'thinking' | 'final'
  readonly text: string
}

/** The indexed content of one repository, for answers and for the check of their citations. */
export interface IndexedContent {
  readonly repository: Pick<RepositoryRecord, 'name' | 'path'>
  /** The absolute path of a file on the host. */
  hostPathOf(path: string): string
  search(request: SearchRequest, signal?: AbortSignal): Promise<readonly Hit[]>
  /** `undefined`: the index has no such file, or the path leaves the repository. */
  read(path: string, lines?: { readonly start?: number; readonly end?: number }): Promise<FileLines | undefined>
  list(glob?: string, limit?: number): Promise<readonly string[]>
}
