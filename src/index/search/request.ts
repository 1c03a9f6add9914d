import type { Hit, SearchMode } from '../../api/repository.ts'

export interface SearchRequest {
  readonly query: string
  readonly mode: SearchMode
  /** A glob over paths, such as `src/*.ts`. */
  readonly path?: string | undefined
  readonly limit: number
}

export type IndexHit = Omit<Hit, 'repository'>
