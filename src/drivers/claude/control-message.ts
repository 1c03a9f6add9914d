/** The lines that the driver writes to Claude Code, and a parser for reading them back from the journal. */
import { z } from 'zod'
import { askedMatcher } from './own-tool.ts'

export type ControlMessage = Readonly<Record<string, unknown>>

/** The names of the driver's hook callbacks. */
export const callbacks = { prompt: 'signalbox-prompt', tool: 'signalbox-tool' } as const

/** Seconds. An approval expires much earlier. */
const hookTimeout = 86_400

/** The hooks cover calls that Claude Code's own settings would allow without a question. */
export const initialize: ControlMessage = {
  type: 'control_request',
  request_id: 'initialize',
  request: {
    subtype: 'initialize',
    hooks: {
      // It is called before each turn, so that the driver knows that hooks run before a tool can.
      UserPromptSubmit: [{ hookCallbackIds: [callbacks.prompt], timeout: hookTimeout }],
      PreToolUse: [{ matcher: askedMatcher, hookCallbackIds: [callbacks.tool], timeout: hookTimeout }],
    },
  },
}

export function userMessage(uuid: string, text: string): ControlMessage {
  const message = { role: 'user', content: [{ type: 'text', text }] }
  return { type: 'user', uuid, message, parent_tool_use_id: null, session_id: '' }
}

export function interruptRequest(id: string): ControlMessage {
  return { type: 'control_request', request_id: id, request: { subtype: 'interrupt' } }
}

export function answerTo(request: string, response: object): ControlMessage {
  return { type: 'control_response', response: { subtype: 'success', request_id: request, response } }
}

export function refusalOf(request: string, error: string): ControlMessage {
  return { type: 'control_response', response: { subtype: 'error', request_id: request, error } }
}

const writtenSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user'), uuid: z.string() }),
  z.object({ type: z.literal('control_response'), response: z.object({ request_id: z.string() }) }),
])

/** `undefined`: neither a prompt nor an answer. */
export function parseWritten(text: string): z.output<typeof writtenSchema> | undefined {
  try {
    return writtenSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
