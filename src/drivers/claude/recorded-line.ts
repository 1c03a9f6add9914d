/**
 * Claude Code's record of a conversation: the lines of its transcript, and those of `--output-format stream-json`. Both
 * have the same messages. Each assistant line holds one block of a message.
 */
import { z } from 'zod'
import { agentId } from '../port/agent-id.ts'

const tokens = z.number().default(0)

const tokenUsageSchema = z.object({
  input_tokens: tokens,
  cache_creation_input_tokens: tokens.nullish(),
  cache_read_input_tokens: tokens.nullish(),
  output_tokens: tokens,
})
export type TokenUsage = z.output<typeof tokenUsageSchema>

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: agentId.optional(),
  name: agentId.optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: agentId.optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
})
export type Block = z.output<typeof blockSchema>

const common = {
  uuid: agentId,
  timestamp: z.string().optional(),
  /** Set in the stream for messages of a subagent. */
  parent_tool_use_id: z.string().nullish(),
  /** The same in a transcript. */
  isSidechain: z.boolean().optional(),
}

export const assistantLineSchema = z.object({
  ...common,
  type: z.literal('assistant'),
  /** Set if Claude Code itself wrote the message, because the model could not be reached. */
  error: z.string().nullish(),
  isApiErrorMessage: z.boolean().optional(),
  message: z.object({
    id: agentId,
    model: agentId.optional(),
    content: z.array(blockSchema),
    usage: tokenUsageSchema.nullish(),
  }),
})

export const userLineSchema = z.object({
  ...common,
  type: z.literal('user'),
  /** Text that the program added, not the person. */
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  message: z.object({ content: z.union([z.string(), z.array(blockSchema)]) }),
})

export type AssistantLine = z.output<typeof assistantLineSchema>
export type UserLine = z.output<typeof userLineSchema>

export function isOfSubagent({ parent_tool_use_id: parent, isSidechain = false }: AssistantLine | UserLine): boolean {
  return isSidechain || typeof parent === 'string'
}
