/**
 * A thread: the canonical messages of a conversation with an agent (API, "Threads"). It is stored as entries, one for
 * each thing that was said or done. Messages, for other providers, and frames, for viewers, are made from entries.
 */
import { z } from 'zod'

export const usageSchema = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number().optional(),
})
export type Usage = z.output<typeof usageSchema>

export const turnStatuses = ['completed', 'interrupted', 'failed'] as const
export type TurnStatus = (typeof turnStatuses)[number]

/** The content of an entry. A new kind of entry is a new member of this union. */
const entryBodies = [
  /** From a person or another agent. */
  z.object({ type: z.literal('prompt'), text: z.string() }),
  z.object({ type: z.literal('thinking'), text: z.string() }),
  /** From the agent. */
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('tool-request'),
    callId: z.string(),
    name: z.string(),
    parameters: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal('tool-result'),
    callId: z.string(),
    name: z.string(),
    /** The parameters of the request. The thread fills them in. */
    parameters: z.record(z.string(), z.unknown()).optional(),
    result: z.unknown(),
    /** Absent if the tool succeeded. */
    error: z.string().optional(),
  }),
  /** The end of a turn. `usage` is that of this turn. */
  z.object({
    type: z.literal('complete'),
    status: z.enum(turnStatuses),
    reason: z.string().optional(),
    usage: usageSchema.optional(),
    /** The last text of the turn. The thread fills it in. */
    answer: z.string().optional(),
  }),
  /** A failure that people should know about. The turn may go on. */
  z.object({ type: z.literal('error'), message: z.string() }),
] as const

export const entryBodySchema = z.discriminatedUnion('type', entryBodies)
export type EntryBody = z.output<typeof entryBodySchema>

/** The formats of other providers in which a thread can be written. */
export const formatNames = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const
export type FormatName = (typeof formatNames)[number]
export const exportFormats = ['json', 'markdown', ...formatNames] as const

/** The parts of an imported message that have no field here, such as the signature of a thought. */
export interface EntryExtra {
  readonly format: FormatName
  readonly version: number
  readonly value: {
    /** Entries with the same number were one message. */
    readonly message: number
    /** The other fields of its message. The first entry of a message has them. */
    readonly fields?: Readonly<Record<string, unknown>>
    /** The other fields of its part of the message. */
    readonly part?: Readonly<Record<string, unknown>>
    /** How the message was written, if its format has several ways. */
    readonly form?: readonly string[]
    /** Neighbouring messages that have no entry in a thread, such as instructions for the model. */
    readonly before?: readonly unknown[]
    readonly after?: readonly unknown[]
  }
}

export interface EntryPlace {
  /** Identifies the entry in its thread. An entry whose key the thread already has is ignored. */
  readonly key: string
  /** ISO 8601 UTC: when the agent said or did it. */
  readonly at: string
  readonly model?: string | undefined
  /** Who said it, if not the agent of the thread: another provider has continued the conversation. */
  readonly provider?: string | undefined
  /** Set for an imported entry. */
  readonly extra?: EntryExtra | undefined
}

/** As drivers write it. */
export type NewEntry = EntryBody & EntryPlace

/** As it is stored. `seq` counts the entries of the thread from 1. */
export type ThreadEntry = NewEntry & { readonly seq: number }

/** A text that the agent is still writing. */
export interface Draft {
  readonly key: string
  readonly type: 'text' | 'thinking'
  readonly text: string
}

export const messageSchema = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  at: z.string(),
  provider: z.string().optional(),
  model: z.string().optional(),
  content: z.array(z.object({ type: z.enum(['text', 'thinking']), text: z.string() })),
  tool_calls: z
    .array(z.object({ id: z.string(), name: z.string(), arguments: z.record(z.string(), z.unknown()) }))
    .optional(),
  tool_call_id: z.string().optional().describe('Of a tool message: the call it answers.'),
  is_error: z.boolean().optional(),
})
export type Message = z.output<typeof messageSchema>

const toolFrame = { callId: z.string(), name: z.string(), parameters: z.record(z.string(), z.unknown()) }

/** Live updates for viewers. */
export const frameSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('prompt'), key: z.string(), at: z.string(), text: z.string() }),
  /** `text` continues the frames of the same key. */
  z.object({ type: z.enum(['token', 'thinking']), key: z.string(), at: z.string(), text: z.string() }),
  z.object({
    type: z.literal('tool-request'),
    key: z.string(),
    at: z.string(),
    ...toolFrame,
    stage: z.literal('started'),
  }),
  z.object({
    type: z.literal('tool-result'),
    key: z.string(),
    at: z.string(),
    ...toolFrame,
    stage: z.enum(['success', 'error']),
    result: z.unknown(),
    errorTrimmed: z.string().optional(),
    errorFull: z.string().optional(),
  }),
  /** The last thing the agent said in a turn. */
  z.object({ type: z.literal('final'), key: z.string(), at: z.string(), text: z.string() }),
  z.object({
    type: z.literal('complete'),
    key: z.string(),
    at: z.string(),
    status: z.enum(turnStatuses),
    reason: z.string().optional(),
    usage: usageSchema.optional(),
  }),
  z.object({ type: z.literal('error'), key: z.string(), at: z.string(), message: z.string() }),
])
export type Frame = z.output<typeof frameSchema>

export const threadSchema = z.object({
  version: z.literal('v1'),
  thread_id: z.string(),
  session: z.string().optional().describe('The name of the newest session that continues it.'),
  agent: z.string().describe('Who answers in it, such as claude.'),
  parent: z.string().optional().describe('The thread it was forked from.'),
  fork_point: z.string().optional().describe('The id of the last message it shares with its parent.'),
  label: z.string().optional(),
  created_at: z.string(),
  usage: usageSchema,
  messages: z.array(messageSchema),
  events: z.array(frameSchema).describe('The same as frames, for viewers.'),
  cursor: z.string().describe('For since: what comes after this.'),
  has_more: z.boolean().describe('There is more already: read again with the cursor.'),
})
export type Thread = z.output<typeof threadSchema>
