/** The parts of the Agent Client Protocol, version 1, that the hub reads: JSON-RPC 2.0, one message per line. */
import { z } from 'zod'
import { agentId } from '../port/agent-id.ts'

export const protocolVersion = 1

const contentSchema = z.looseObject({
  type: z.string(),
  /** Of a message: its text. */
  text: z.string().optional(),
  /** Of a tool call: what it wraps, or the file that it changes. */
  content: z.looseObject({ text: z.string().optional() }).optional(),
  path: z.string().optional(),
  oldText: z.string().nullish(),
  newText: z.string().optional(),
})

const toolCallSchema = z.looseObject({
  toolCallId: agentId,
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  rawInput: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  rawOutput: z.unknown().optional(),
  content: z.array(contentSchema).nullish(),
  locations: z.array(z.looseObject({ path: z.string() })).nullish(),
})
export type ToolCall = z.output<typeof toolCallSchema>

const chunkSchema = z.looseObject({ content: contentSchema })

export type Update =
  | { readonly is: 'text' | 'thinking'; readonly text: string }
  | { readonly is: 'tool'; readonly call: ToolCall }
  | { readonly is: 'other' }

const optionSchema = z.looseObject({ optionId: agentId, kind: agentId })
const permissionSchema = z.looseObject({ toolCall: toolCallSchema, options: z.array(optionSchema) })
export type Permission = z.output<typeof permissionSchema>

export type RequestId = string | number

/** A message of the agent. */
export type Incoming =
  | { readonly is: 'result'; readonly id: number; readonly result: Readonly<Record<string, unknown>> }
  | { readonly is: 'failure'; readonly id: number; readonly code: number; readonly message: string }
  | { readonly is: 'update'; readonly update: Update }
  | { readonly is: 'permission'; readonly id: RequestId; readonly permission: Permission }
  /** A request that the hub does not know. */
  | { readonly is: 'unknown'; readonly id: RequestId; readonly method: string }
  | { readonly is: 'nothing' }

const messageSchema = z.looseObject({
  id: z.union([agentId, z.number()]).nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
})

const nothing: Incoming = { is: 'nothing' }

/** Returns `nothing` for a line that is not a message of the protocol, such as a warning on the wrong stream. */
export function readLine(line: Buffer): Incoming {
  const parsed = messageSchema.safeParse(parse(line.toString()))
  if (!parsed.success) return nothing
  const { id, method, params, result, error } = parsed.data
  if (method === undefined) {
    if (typeof id !== 'number') return nothing
    if (error) return { is: 'failure', id, code: error.code, message: describe(error) }
    return { is: 'result', id, result: recordOf(result) }
  }
  if (method === 'session/update') return { is: 'update', update: readUpdate(recordOf(params)['update']) }
  if (id === undefined || id === null) return nothing
  const permission = method === 'session/request_permission' ? permissionSchema.safeParse(params) : undefined
  return permission?.success ? { is: 'permission', id, permission: permission.data } : { is: 'unknown', id, method }
}

function readUpdate(update: unknown): Update {
  switch (recordOf(update)['sessionUpdate']) {
    case 'agent_message_chunk':
      return chunkOf('text', update)
    case 'agent_thought_chunk':
      return chunkOf('thinking', update)
    case 'tool_call':
    case 'tool_call_update': {
      const call = toolCallSchema.safeParse(update)
      return call.success ? { is: 'tool', call: call.data } : { is: 'other' }
    }
    default:
      return { is: 'other' }
  }
}

function chunkOf(is: 'text' | 'thinking', update: unknown): Update {
  const text = chunkSchema.safeParse(update).data?.content.text
  return text === undefined ? { is: 'other' } : { is, text }
}

/** A message of the hub, as the holder recorded it. */
export type Outgoing =
  | { readonly is: 'prompt'; readonly id: number; readonly text: string }
  | { readonly is: 'answer'; readonly id: RequestId; readonly option: string | undefined }
  | { readonly is: 'other' }

const promptSchema = z.looseObject({ prompt: z.array(z.looseObject({ text: z.string().optional() })) })

export function readOwnLine(line: string): Outgoing {
  const parsed = messageSchema.safeParse(parse(line))
  if (!parsed.success) return { is: 'other' }
  const { id, method, params, result } = parsed.data
  if (method === 'session/prompt' && typeof id === 'number') {
    const prompt = promptSchema.safeParse(params).data?.prompt ?? []
    return { is: 'prompt', id, text: prompt.map(({ text = '' }) => text).join('') }
  }
  if (method === undefined && id !== undefined && id !== null) {
    const option = recordOf(recordOf(result)['outcome'])['optionId']
    return { is: 'answer', id, option: typeof option === 'string' ? option : undefined }
  }
  return { is: 'other' }
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Agents put the reason for an error into `message`, or into `data`. */
function describe({ message, data }: { readonly message: string; readonly data?: unknown }): string {
  const { details, message: inner } = recordOf(data)
  const more = [details, inner, data].find((text) => typeof text === 'string')
  return more === undefined || message.includes(more) ? message : `${message}: ${more}`
}
