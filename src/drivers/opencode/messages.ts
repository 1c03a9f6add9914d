/** The messages of opencode, with only the fields that the hub reads. */
import { z } from 'zod'
import { agentId } from '../port/agent-id.ts'

const tokensSchema = z.looseObject({
  input: z.number(),
  output: z.number(),
  reasoning: z.number().default(0),
  cache: z.looseObject({ read: z.number().default(0), write: z.number().default(0) }).optional(),
})

const errorSchema = z.looseObject({
  name: z.string(),
  data: z.looseObject({ message: z.string().optional(), statusCode: z.number().optional() }).optional(),
})
export type OpencodeError = z.output<typeof errorSchema>

const userSchema = z.looseObject({
  role: z.literal('user'),
  id: agentId,
  sessionID: agentId,
  time: z.looseObject({ created: z.number() }),
})

const assistantSchema = z.looseObject({
  role: z.literal('assistant'),
  id: agentId,
  sessionID: agentId,
  parentID: agentId,
  providerID: agentId,
  modelID: agentId,
  time: z.looseObject({ created: z.number(), completed: z.number().optional() }),
  finish: z.string().optional(),
  error: errorSchema.optional(),
  summary: z.boolean().optional(),
  tokens: tokensSchema.optional(),
  cost: z.number().optional(),
})
export type Assistant = z.output<typeof assistantSchema>

const infoSchema = z.discriminatedUnion('role', [userSchema, assistantSchema])
export type MessageInfo = z.output<typeof infoSchema>

const place = { id: agentId, sessionID: agentId, messageID: agentId }
const timeSchema = z.looseObject({ start: z.number(), end: z.number().optional() })
const inputSchema = z.record(z.string(), z.unknown()).default({})

const toolStateSchema = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('pending') }),
  z.looseObject({ status: z.literal('running'), input: inputSchema, time: timeSchema }),
  z.looseObject({ status: z.literal('completed'), input: inputSchema, output: z.string(), time: timeSchema }),
  z.looseObject({ status: z.literal('error'), input: inputSchema, error: z.string(), time: timeSchema }),
])

const textSchema = z.looseObject({
  ...place,
  type: z.enum(['text', 'reasoning']),
  text: z.string(),
  /** opencode added the text to the person's message. */
  synthetic: z.boolean().optional(),
  time: timeSchema.optional(),
})

const toolSchema = z.looseObject({
  ...place,
  type: z.literal('tool'),
  tool: agentId,
  callID: agentId,
  state: toolStateSchema,
})
export type ToolPart = z.output<typeof toolSchema>

/** Other kinds of parts are left out. */
const partSchema = z.union([textSchema, toolSchema])
export type Part = z.output<typeof partSchema>

export const messageWithPartsSchema = z.object({
  info: infoSchema,
  parts: z
    .array(z.unknown())
    .transform((parts) => parts.map((part) => partSchema.safeParse(part).data).filter((part) => part !== undefined)),
})

export const statusSchema = z.looseObject({ type: z.enum(['idle', 'busy', 'retry']) })

export const permissionSchema = z.looseObject({
  id: agentId,
  sessionID: agentId,
  permission: agentId,
  patterns: z.array(z.string()).default([]),
  metadata: z.record(z.string(), z.unknown()).default({}),
  tool: z.looseObject({ messageID: agentId, callID: agentId }).optional(),
})
export type Permission = z.output<typeof permissionSchema>

export const questionRequestSchema = z.looseObject({
  id: agentId,
  sessionID: agentId,
  questions: z.array(
    z.looseObject({ question: z.string(), options: z.array(z.looseObject({ label: z.string() })).default([]) }),
  ),
})
export type QuestionRequest = z.output<typeof questionRequestSchema>

const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('server.connected') }),
  z.object({ type: z.literal('message.updated'), properties: z.object({ info: infoSchema }) }),
  z.object({ type: z.literal('message.part.updated'), properties: z.object({ part: partSchema }) }),
  z.object({
    type: z.literal('message.part.delta'),
    properties: z.object({ sessionID: agentId, partID: agentId, field: z.literal('text'), delta: z.string() }),
  }),
  z.object({
    type: z.literal('session.status'),
    properties: z.object({ sessionID: agentId, status: statusSchema }),
  }),
  z.object({
    type: z.literal('session.error'),
    properties: z.object({ sessionID: agentId, error: errorSchema }),
  }),
  z.object({ type: z.literal('permission.asked'), properties: permissionSchema }),
  z.object({
    type: z.literal('permission.replied'),
    properties: z.object({ requestID: agentId, reply: z.enum(['once', 'always', 'reject']) }),
  }),
  z.object({ type: z.literal('question.asked'), properties: questionRequestSchema }),
  z.object({
    type: z.enum(['question.replied', 'question.rejected']),
    properties: z.object({ requestID: agentId }),
  }),
])
export type ServerEvent = z.output<typeof eventSchema>

/** `undefined`: the hub does not use this event. */
export function readEvent(data: string): ServerEvent | undefined {
  const { payload } = JSON.parse(data) as { payload?: unknown }
  return eventSchema.safeParse(payload).data
}
