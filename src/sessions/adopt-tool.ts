/** adopt_session */
import { z } from 'zod'
import { sessionNameSchema, sessionSchema } from '../api/session.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { Sessions } from './sessions.ts'

export function createAdoptTool(sessions: Sessions): Tool {
  return defineTool({
    name: 'adopt_session',
    description:
      'Takes what runs in tmux already under the hub: it is listed, shown, recorded and steered like any other session, and "tmux attach" goes on working. kill_session ends its program, as it does any other.',
    input: z.strictObject({
      target: z
        .string()
        .min(1)
        .max(200)
        .describe('A session, window or pane as for tmux, its names in full: work, work:1, work:1.2'),
      name: sessionNameSchema.optional().describe('Here; without it, as in tmux.'),
    }),
    output: sessionSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: async ({ target, name }) => sessions.describe(await sessions.adopt(target, name)),
  })
}
