/** OpenAI Chat Completions, as opencode speaks them. */
import type { JsonSchema, Turn } from './conversation.ts'
import { readTurns } from './conversation.ts'
import type { Dialect, StreamEvent } from './dialect.ts'
import { piecesOf, textsOf } from './dialect.ts'
import type { Part } from './script.ts'

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

const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }

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
    usage,
  }),
  head: () => [chunkOf({ role: 'assistant', content: '' })],
  *rest(parts) {
    for (const [index, part] of parts.entries()) for (const delta of deltasOf(part, index)) yield chunkOf(delta)
    yield chunkOf({}, finishReason(parts))
    yield { data: { ...chunkFrame, choices: [], usage } }
    yield { data: '[DONE]' }
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
  const content = parts.flatMap((part) => (part.is === 'text' ? [part.text] : [])).join('')
  const tool_calls = parts.flatMap((part, index) => (part.is === 'call' ? [callOf(part, index)] : []))
  return { role: 'assistant', content, ...(tool_calls.length > 0 && { tool_calls }) }
}

function deltasOf(part: Part, index: number): readonly object[] {
  switch (part.is) {
    case 'thought':
      return [{ reasoning_content: part.text }]
    case 'text':
      return piecesOf(part.text).map((content) => ({ content }))
    case 'call':
      return [{ tool_calls: [callOf(part, index)] }]
  }
}

function callOf({ id, tool, input }: Extract<Part, { is: 'call' }>, index: number): object {
  return { index, id, type: 'function', function: { name: tool.name, arguments: JSON.stringify(input) } }
}
