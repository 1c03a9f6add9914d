/** prune */
import { z } from 'zod'
import { durationSchema, toMilliseconds } from '../api/duration.ts'
import { prunableKinds, prunedSchema } from '../api/prune.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { Prune } from './request.ts'

export function createPruneProvider(prune: Prune): Provider {
  const tool = defineTool({
    name: 'prune',
    description:
      'Lists what is no longer in use and, with dry_run false, removes it: ended sessions with their output and threads, imported and forked threads that no session continues, revoked tokens, journals (the output of ended sessions, which stay listed), git worktrees that the hub made. A worktree stays if anything in it would be lost, and no other workspace is touched.',
    input: z.strictObject({
      older_than: durationSchema.optional().describe('Only what ended this long ago, such as "7d". Default: all.'),
      what: z
        .array(z.enum(prunableKinds))
        .min(1)
        .default([...prunableKinds]),
      dry_run: z.boolean().default(true),
    }),
    output: prunedSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: ({ older_than, what, dry_run }) =>
      prune({ what, olderThanMs: older_than === undefined ? 0 : toMilliseconds(older_than), isDryRun: dry_run }),
  })
  return { toolset: 'sessions', tools: () => [tool] }
}
