import type { BenchRepository } from './repositories.ts'

/** Something that finds files for a question. */
export interface System extends AsyncDisposable {
  readonly name: string
  index(repository: BenchRepository): Promise<void>
  /** Paths, the best first. A path may occur more than once. */
  search(repository: BenchRepository, question: string): Promise<readonly string[]>
}
