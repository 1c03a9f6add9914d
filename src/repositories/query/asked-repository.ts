/** A repository as this folder needs it. */
import type { CheckedCounts, Citation, Hit, RepositoryView } from '../../api/repository.ts'

export interface AskedRepository {
  readonly view: RepositoryView
  /** Best first. */
  search(query: string, limit: number, signal: AbortSignal): Promise<readonly Hit[]>
  /** The text with repaired citations and without wrong ones. */
  check(text: string): Promise<CheckedText>
}

interface CheckedText {
  readonly text: string
  readonly citations: readonly Citation[]
  readonly checked: CheckedCounts
}

/** Those that one caller may ask about. */
export interface VisibleRepositories {
  list(): Promise<readonly RepositoryView[]>
  /** By id, by name, or by path on the host or in the container. Throws if there is none that the caller may ask about. */
  find(identifier: string): Promise<AskedRepository>
}
