import type { PrunableKind, Pruned } from '../api/prune.ts'

export interface PruneRequest {
  readonly what: readonly PrunableKind[]
  readonly olderThanMs: number
  readonly isDryRun: boolean
}

export type Prune = (request: PruneRequest) => Promise<Pruned>
