/** The mount `loop`: how the built-in agent ends its own turn. */
import { z } from 'zod'
import type { Provider } from '../../mcp/mcp.ts'
import { defineTool } from '../../mcp/mcp.ts'

/** `runOf` is `undefined` if the session has another agent. A face asks before the session has started, too. */
export function createLoopProvider(runOf: () => { yieldTurn(): void } | undefined): Provider {
  const tools = [
    defineTool({
      name: 'loop_yield_turn',
      description: 'Ends your turn. You sleep until a person prompts you or a chat message comes.',
      input: z.strictObject({}),
      output: z.object({ ok: z.boolean() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      async run() {
        runOf()?.yieldTurn()
        return { ok: true }
      },
    }),
  ]
  return { toolset: 'agents', tools: () => (runOf() ? tools : []) }
}
