/** The source of an index, and the operations on the index. */
import type { IndexStatus } from '../api/repository.ts'
import type { TreeSource } from './files/tree.ts'
import type { IndexHit, SearchRequest } from './search/request.ts'

export type { IndexHit, SearchRequest }

export interface IndexSource extends TreeSource {
  readonly id: string
}

export interface FileLines {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly total_lines: number
  readonly text: string
}

export interface RepositoryIndexes extends AsyncDisposable {
  /** Brings the index up to date. Calls while one is under way share it. The last complete index answers meanwhile. */
  refresh(source: IndexSource, options?: RefreshOptions): Promise<IndexStatus>
  /** `check` compares the files with the index, so that `behind` is true now. */
  status(source: IndexSource, options?: { readonly check?: boolean }): Promise<IndexStatus>
  search(source: IndexSource, request: SearchRequest, signal?: AbortSignal): Promise<readonly IndexHit[]>
  /** Lines of a file as they were indexed. `undefined`: the index has no such file. */
  read(source: IndexSource, path: string, lines?: { start?: number; end?: number }): Promise<FileLines | undefined>
  /** Paths that match a glob, sorted. */
  list(source: IndexSource, glob?: string, limit?: number): Promise<readonly string[]>
  /** Refreshes after changes in the working tree or of the ref, until it is disposed. */
  watch(source: IndexSource, onChange: (status: IndexStatus) => void): Disposable
  /** Ends a running refresh and deletes the index. */
  remove(id: string): Promise<void>
}

export interface RefreshOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}
