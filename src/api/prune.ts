/** The kinds of things that `prune` removes, and its answer. Sessions, threads and tokens are its sources. */
import { z } from 'zod'

export const prunableKinds = ['sessions', 'threads', 'tokens', 'journals', 'worktrees'] as const
export type PrunableKind = (typeof prunableKinds)[number]

const itemSchema = z.object({
  what: z.enum(prunableKinds),
  id: z.string().describe('Of a journal: the id of its session. Of a worktree: its path.'),
  name: z.string().optional().describe('Of a session. Of a thread or a token: its label. Of a worktree: its branch.'),
  since: z.string().describe('When it ended, was made (a thread), was revoked or was last used.'),
})

export const prunedSchema = z.object({
  dry_run: z.boolean(),
  gone: z.array(itemSchema).describe('Removed, or with dry_run what would be removed.'),
  kept: z.array(itemSchema.extend({ why: z.string() })),
})
export type Pruned = z.output<typeof prunedSchema>

/** All things of one kind that are no longer in use. */
export interface PruneSource {
  readonly what: PrunableKind
  /** Lists those that have not been in use since then. */
  list(before: Date): Promise<readonly PruneCandidate[]>
}

export interface PruneCandidate {
  readonly id: string
  readonly name?: string | undefined
  readonly since: string
  /** Why it must stay. */
  readonly why?: string | undefined
  /** Looks again before it removes anything. Returns why it stays. */
  remove(): Promise<string | undefined>
}
