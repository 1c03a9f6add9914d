/**
 * Reads the file in which Gemini CLI keeps a chat. A line with the id of an earlier one replaces it, with more tool
 * calls. A tool call appears after it ran. No line marks the end of a turn. After a cancelled turn the whole chat is
 * written again under other ids: from a message with the context of the session to a line that sets all messages.
 */
import { z } from 'zod'
import type { NewEntry } from '../../api/thread.ts'
import { explainFailure } from '../port/turn-failure.ts'

export const chatStateSchema = z.object({
  /** The id of the prompt whose turn runs. */
  prompt: z.string().optional(),
  /** The ids of the messages whose tokens are counted. */
  counted: z.array(z.string()),
  input: z.int(),
  output: z.int(),
  /** The last thing in the turn was that a request to the model failed. */
  failure: z.string().optional(),
  /** When the copy of the chat began, while one is being read. */
  copiedAt: z.string().optional(),
})
export type ChatState = z.output<typeof chatStateSchema>

export const noTurn: ChatState = { counted: [], input: 0, output: 0 }

const partSchema = z.looseObject({ text: z.string().optional(), functionResponse: z.unknown().optional() })
const resultSchema = z.array(
  z.looseObject({
    functionResponse: z.looseObject({ response: z.record(z.string(), z.unknown()).optional() }).optional(),
  }),
)
const toolCallSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
  status: z.string().optional(),
  result: resultSchema.nullish().catch(undefined),
  timestamp: z.string().optional(),
})
const messageSchema = z.looseObject({
  id: z.string(),
  timestamp: z.string(),
  type: z.string(),
  content: z.union([z.string(), z.array(partSchema)]).optional(),
  thoughts: z.array(z.looseObject({ subject: z.string().optional(), description: z.string().optional() })).nullish(),
  tokens: z.looseObject({ input: z.int(), output: z.int(), thoughts: z.int().optional() }).nullish(),
  model: z.string().optional(),
  toolCalls: z.array(toolCallSchema).nullish(),
})
type ChatMessage = z.output<typeof messageSchema>

/** Of one turn. */
const mostCounted = 1_000

export interface ReadLine {
  readonly state: ChatState
  readonly entries: readonly NewEntry[]
}

export function readChatLine(line: string, before: ChatState): ReadLine {
  const json = parse(line)
  const message = messageSchema.safeParse(json).data
  const { copiedAt, ...state } = before
  if (message?.type === 'user' && textOf(message).startsWith(contextMark)) {
    return { state: { ...state, copiedAt: message.timestamp }, entries: [] }
  }
  if (copiedAt !== undefined && !setsAll.safeParse(json).success) {
    if (!message || Date.parse(message.timestamp) - Date.parse(copiedAt) < longestCopyMs) {
      return { state: before, entries: [] }
    }
  }
  if (message?.type === 'user') return readPrompt(message, state)
  if (message?.type === 'gemini') {
    const { failure: _, ...answered } = count(message, state)
    return { entries: entriesOf(message), state: answered }
  }
  if (message?.type === 'error' && apiError.test(textOf(message)) && state.prompt !== undefined) {
    return { entries: [], state: { ...state, failure: textOf(message) } }
  }
  return { state, entries: [] }
}

/** Other errors, such as those of an MCP server, do not end a turn. */
const apiError = /^\[API Error: /
const contextMark = '<session_context>'
const setsAll = z.looseObject({ $set: z.looseObject({ messages: z.array(z.unknown()) }) })
/** The lines of a copy have nearly the same time: they differ by less than this. */
const longestCopyMs = 1_000

const remedies = {
  login: 'type /auth in its terminal, or set GEMINI_API_KEY for the hub.',
  contextFull: 'type /compress in its terminal, or start another session.',
}

/** The end of a turn, which only a hook or the next prompt shows. */
export function endTurn(state: ChatState, status: 'completed' | 'interrupted', at: string): ReadLine {
  const { prompt, input, output, failure } = state
  if (prompt === undefined) return { state, entries: [] }
  const usage = input + output === 0 ? {} : { usage: { input_tokens: input, output_tokens: output } }
  const end =
    failure !== undefined && status === 'completed'
      ? { status: 'failed' as const, reason: explainFailure(failure, remedies) }
      : { status }
  return { state: noTurn, entries: [{ key: `${prompt}.complete`, at, type: 'complete', ...end, ...usage }] }
}

function readPrompt(message: ChatMessage, state: ChatState): ReadLine {
  const { id, timestamp: at } = message
  const text = textOf(message)
  // Results of tools are in the message of the agent as well.
  if (text === '') return { state, entries: [] }
  const before = id === state.prompt ? [] : endTurn(state, 'interrupted', at).entries
  return { state: { ...noTurn, prompt: id }, entries: [...before, { key: `${id}.prompt`, at, type: 'prompt', text }] }
}

function textOf({ content = '' }: ChatMessage): string {
  return typeof content === 'string' ? content : content.flatMap((part) => part.text ?? []).join('\n')
}

function entriesOf(message: ChatMessage): NewEntry[] {
  const { id, timestamp: at, thoughts, model, toolCalls } = message
  const said = { at, ...(model !== undefined && { model }) }
  const thought = (thoughts ?? [])
    .map(({ subject = '', description = '' }) => [subject, description].filter((part) => part !== '').join('\n'))
    .join('\n')
  const text = textOf(message)
  return [
    ...(thought === '' ? [] : [{ ...said, key: `${id}.thinking`, type: 'thinking' as const, text: thought }]),
    ...(text === '' ? [] : [{ ...said, key: `${id}.text`, type: 'text' as const, text }]),
    ...(toolCalls ?? []).flatMap((call): NewEntry[] => {
      const { id: callId, name, args: parameters, timestamp = at } = call
      const request: NewEntry = { key: `call:${callId}`, at: timestamp, type: 'tool-request', callId, name, parameters }
      return [
        request,
        { key: `result:${callId}`, at: timestamp, type: 'tool-result', callId, name, ...outcomeOf(call) },
      ]
    }),
  ]
}

function outcomeOf({ status, result }: z.output<typeof toolCallSchema>): { result: unknown; error?: string } {
  const responses = (result ?? []).map(({ functionResponse }) => functionResponse?.response ?? {})
  const texts = responses.map((response) => unwrapped(response['output'] ?? response['error']))
  const text = texts.join('\n')
  return status === 'success' ? { result: text } : { result: text, error: text || `The tool ended as ${status}.` }
}

/** Removes the mark that Gemini CLI puts around untrusted text for the model. */
function unwrapped(said: unknown): string {
  const text = typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said)
  return /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/.exec(text)?.[1] ?? text
}

function count({ id, tokens }: ChatMessage, state: ChatState): ChatState {
  if (!tokens || state.counted.includes(id)) return state
  const { input, output, thoughts = 0 } = tokens
  return {
    ...state,
    counted: [...state.counted.slice(1 - mostCounted), id],
    input: state.input + input,
    output: state.output + output + thoughts,
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
