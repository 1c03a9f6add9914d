/** The lines that `claude --output-format stream-json` prints and the driver uses. */
import { z } from 'zod'
import { agentId } from '../port/agent-id.ts'
import { assistantLineSchema, userLineSchema } from './recorded-line.ts'

const inConversation = { session_id: agentId }

/** Of the tool of an MCP server. Older versions do not send it. */
const serverSchema = z.object({ name: agentId }).optional().catch(undefined)

/** The input of the driver's hook callbacks. */
export const hookInputSchema = z.object({
  session_id: agentId.optional(),
  transcript_path: agentId.optional(),
  cwd: agentId.optional(),
  permission_mode: agentId.optional(),
  hook_event_name: z.string(),
  tool_name: agentId.optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: agentId.optional(),
  mcp_server: serverSchema,
})
export type HookInput = z.output<typeof hookInputSchema>

const requestSchema = z.discriminatedUnion('subtype', [
  z.object({ subtype: z.literal('hook_callback'), callback_id: z.string(), input: hookInputSchema }),
  z.object({
    subtype: z.literal('can_use_tool'),
    tool_name: agentId,
    input: z.record(z.string(), z.unknown()),
    tool_use_id: agentId.optional(),
    mcp_server: serverSchema,
  }),
])

const resultSchema = z.object({
  ...inConversation,
  type: z.literal('result'),
  uuid: agentId,
  subtype: z.string(),
  is_error: z.boolean().optional(),
  terminal_reason: z.string().nullish(),
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
  /** Of the whole process. */
  total_cost_usd: z.number().optional(),
  /** Of this turn. */
  usage: z
    .object({
      input_tokens: z.number().default(0),
      cache_creation_input_tokens: z.number().nullish(),
      cache_read_input_tokens: z.number().nullish(),
      output_tokens: z.number().default(0),
    })
    .optional(),
})
export type TurnResult = z.output<typeof resultSchema>

const streamLineSchema = z.discriminatedUnion('type', [
  assistantLineSchema.extend(inConversation),
  userLineSchema.extend(inConversation),
  resultSchema,
  z.object({
    ...inConversation,
    type: z.literal('system'),
    subtype: z.string(),
    permissionMode: agentId.optional(),
    /** Of api_retry. */
    attempt: z.number().optional(),
    max_retries: z.number().optional(),
    error: z.string().optional(),
  }),
  z.object({ type: z.literal('command_lifecycle'), command_uuid: agentId, state: z.string() }),
  z.object({ type: z.literal('control_request'), request_id: agentId, request: requestSchema }),
  z.object({ type: z.literal('control_cancel_request'), request_id: agentId }),
  z.object({
    type: z.literal('control_response'),
    response: z.object({ subtype: z.string(), request_id: z.string(), error: z.string().optional() }),
  }),
  z.object({
    ...inConversation,
    type: z.literal('stream_event'),
    parent_tool_use_id: z.string().nullish(),
    event: z.looseObject({
      type: z.string(),
      index: z.number().optional(),
      message: z.object({ id: agentId }).optional(),
      delta: z
        .looseObject({ type: z.string().optional(), text: z.string().optional(), thinking: z.string().optional() })
        .optional(),
    }),
  }),
])
export type StreamLine = z.output<typeof streamLineSchema>
export type ControlRequest = Extract<StreamLine, { type: 'control_request' }>

/** `undefined`: a line that this version of the driver does not use. */
export function parseStreamLine(bytes: Buffer): StreamLine | undefined {
  try {
    return streamLineSchema.safeParse(JSON.parse(bytes.toString())).data
  } catch {
    return undefined
  }
}

/** A request that the driver does not know still needs an answer, or Claude Code waits for ever. */
export function unknownRequest(bytes: Buffer): { readonly id: string; readonly subtype: string } | undefined {
  try {
    const { data } = anyRequestSchema.safeParse(JSON.parse(bytes.toString()))
    return data && { id: data.request_id, subtype: data.request.subtype }
  } catch {
    return undefined
  }
}

const anyRequestSchema = z.object({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
})
