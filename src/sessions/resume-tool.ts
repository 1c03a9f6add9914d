/** resume_session */
import { z } from 'zod'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { nameArgument } from './arguments.ts'
import type { Sessions } from './session.ts'
import { createdSchema } from './steering-tools.ts'

export function createResumeTool(sessions: Sessions): Tool {
  return defineTool({
    name: 'resume_session',
    description:
      'Continues the conversation of an ended agent session in a new session with the same name, workspace, labels, connectors and policy.',
    input: z.strictObject({ name: nameArgument, prompt: z.string().max(1_000_000).optional() }),
    output: createdSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    async run({ name, prompt: text }, call) {
      const { caller, signal } = call
      const by = caller.label ?? `token ${caller.tokenId}`
      const { record, prompt } = await sessions.resume(
        await sessions.find(name),
        { prompt: text || undefined, by, from: call },
        signal,
      )
      return { ...sessions.describe(record), ...(prompt && { prompt }) }
    },
  })
}
