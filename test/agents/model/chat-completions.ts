/** OpenAI Chat Completions, as opencode speaks them. */
import type { JsonSchema, Turn } from './conversation.ts'
import { readTurns } from './conversation.ts'
import type { Dialect, StreamEvent } from './dialect.ts'
import { stepsOf, textsOf, usage } from './dialect.ts'
import type { CallPart, Part } from './part.ts'
import { joinText, piecesOf } from './part.ts'

interface ChatRequest {
  readonly messages?: readonly Message[]
  readonly tools?: readonly OfferedFunction[]
  readonly response_format?: { readonly json_schema?: { readonly schema?: JsonSchema } }
}

interface Message {
  readonly role: string
  readonly content?: unknown
}

interface OfferedFunction {
  readonly function: { readonly name: string }
}

const tokens = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.total,
  // As some compatible servers do.
  cost: 0.05,
}

export const chatCompletions: Dialect = {
  path: /\/chat\/completions$/,
  wantsStream: (body) => body['stream'] === true,
  read(body) {
    const { messages = [], tools = [], response_format }: ChatRequest = body
    const schema = response_format?.json_schema?.schema
    return {
      ...readTurns(messages.flatMap(turnsOf)),
      tools: tools.map(({ function: { name } }) => ({ name })),
      ...(schema && { schema }),
    }
  },
  whole: (parts) => ({
    id: 'chat_1',
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, finish_reason: finishReason(parts), message: messageOf(parts) }],
    usage: tokens,
  }),
  stream: (parts) => ({
    head: [chunkOf({ role: 'assistant', content: '' })],
    steps: parts.flatMap((part) =>
      stepsOf(
        part,
        deltasOf(part, callIndex(part, parts)).map((delta) => chunkOf(delta)),
      ),
    ),
    tail: [
      chunkOf({}, finishReason(parts)),
      { data: { ...chunkFrame, choices: [], usage: tokens } },
      { data: '[DONE]' },
    ],
  }),
  failure: (status, message) => ({ error: { message, type: 'scripted', param: null, code: String(status) } }),
  full: {
    error: {
      message:
        "This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
}

const chunkFrame = { id: 'chat_1', object: 'chat.completion.chunk', created: 0, model: 'scripted' }

function turnsOf({ role, content }: Message): readonly Turn[] {
  if (role === 'tool') return [{ from: 'tool', text: textsOf(content).join('\n') }]
  return role === 'user' ? [{ from: 'person', texts: textsOf(content) }] : []
}

function chunkOf(delta: object, finish_reason: string | null = null): StreamEvent {
  return { data: { ...chunkFrame, choices: [{ index: 0, delta, finish_reason }] } }
}

function finishReason(parts: readonly Part[]): string {
  return parts.some((part) => part.is === 'call') ? 'tool_calls' : 'stop'
}

function messageOf(parts: readonly Part[]): object {
  const content = joinText(parts, 'text')
  const reasoning_content = joinText(parts, 'thought')
  const tool_calls = parts.flatMap((part) =>
    part.is === 'call' ? [callOf(part, callIndex(part, parts), JSON.stringify(part.input))] : [],
  )
  return {
    role: 'assistant',
    content,
    ...(reasoning_content !== '' && { reasoning_content }),
    ...(tool_calls.length > 0 && { tool_calls }),
  }
}

function deltasOf(part: Part, index: number): readonly object[] {
  switch (part.is) {
    case 'thought':
      return part.deltas.map((reasoning_content) => ({ reasoning_content }))
    case 'text':
      return part.deltas.map((content) => ({ content }))
    case 'call': {
      const rest = piecesOf(JSON.stringify(part.input)).map((piece) => ({ index, function: { arguments: piece } }))
      return [callOf(part, index, ''), ...rest].map((call) => ({ tool_calls: [call] }))
    }
  }
}

/** Its index among the calls. */
function callIndex(part: Part, parts: readonly Part[]): number {
  return parts.filter(({ is }) => is === 'call').indexOf(part)
}

function callOf({ id, tool }: CallPart, index: number, json: string): object {
  return { index, id, type: 'function', function: { name: tool.name, arguments: json } }
}
