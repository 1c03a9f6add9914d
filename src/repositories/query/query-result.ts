/** The answers of the two tools. Their names and fields are those of the chat endpoints that clients already know. */
import type { CheckedCounts, Citation, Hit, RepositoryView } from '../../api/repository.ts'

export interface ListedRepository {
  readonly id: string
  readonly name: string
  readonly hostPath: string
  readonly containerPath: string
  /** False: it is known, but there is nothing to search yet. */
  readonly indexed: boolean
  readonly status: RepositoryView['index']['is']
  readonly counts: { readonly files: number; readonly chunks: number }
  readonly ref?: string
  readonly commit?: string
  readonly branch?: string
  readonly lastIndexedAt?: string
  readonly lastError?: string
}

/** In the order in which they came. The last one is the answer. */
export type Segment =
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'vector_summary'; readonly files: readonly FoundFile[] }
  | { readonly type: 'answer'; readonly text: string }

export interface FoundFile {
  readonly path: string
  readonly hostPath: string
  readonly containerPath: string
  readonly repo: string
  /** The best score of its chunks. A higher one is better. */
  readonly match: number
  readonly chunks: number
  readonly lines: number
}

export interface CitedLines {
  readonly repository: string
  readonly path: string
  readonly hostPath: string
  readonly containerPath: string
  readonly startLine: number
  readonly endLine: number
  readonly symbol?: string
  readonly text?: string
}

export interface QueryAnswer {
  readonly conversationId: string
  readonly modelId: string
  readonly repository: Pick<ListedRepository, 'id' | 'name' | 'hostPath' | 'containerPath'>
  readonly segments: readonly Segment[]
  readonly citations: readonly CitedLines[]
  readonly checked: CheckedCounts
}

export function toListed({ id, name, path, host_path: hostPath, ref, index }: RepositoryView): ListedRepository {
  const { is, commit, branch, files, chunks, indexed_at: lastIndexedAt, last_error: lastError } = index
  return {
    id,
    name,
    hostPath,
    containerPath: path,
    indexed: lastIndexedAt !== undefined || is === 'ready',
    status: is,
    counts: { files, chunks },
    ...(ref !== undefined && { ref }),
    ...(commit !== undefined && { commit }),
    ...(branch !== undefined && { branch }),
    ...(lastIndexedAt !== undefined && { lastIndexedAt }),
    ...(lastError !== undefined && { lastError }),
  }
}

type Places = Pick<RepositoryView, 'name' | 'path' | 'host_path'>

export function toCited(
  { repository, path, start_line: startLine, end_line: endLine, symbol, text, host_path: hostPath }: Citation,
  { path: root }: Places,
): CitedLines {
  return {
    repository,
    path,
    hostPath,
    containerPath: `${root}/${path}`,
    startLine,
    endLine,
    ...(symbol !== undefined && { symbol }),
    ...(text !== undefined && { text }),
  }
}

/** The files that a search found, in the order of their best chunks. */
export function toFoundFiles(
  hits: readonly Pick<Hit, 'path' | 'score' | 'start_line' | 'end_line'>[],
  { name, path: root, host_path: hostRoot }: Places,
): readonly FoundFile[] {
  const byPath = Map.groupBy(hits, ({ path }) => path)
  return [...byPath].map(([path, chunks]) => ({
    path,
    hostPath: `${hostRoot}/${path}`,
    containerPath: `${root}/${path}`,
    repo: name,
    match: Math.max(...chunks.map(({ score }) => score)),
    chunks: chunks.length,
    lines: chunks.reduce((sum, { start_line, end_line }) => sum + end_line - start_line + 1, 0),
  }))
}
