/** A small client for each API that the scripted model implements, which reads a stream as an agent does. */
import type { JsonSchema } from './conversation.ts'

export interface ModelClient {
  readonly name: string
  path(isStream: boolean): string
  body(request: ClientRequest): object
  /** The parts that one event of the stream adds to the reply. */
  read(event: unknown): readonly ReplyDelta[]
  /** The text of an answer in one piece. */
  wholeText(answer: unknown): string | undefined
}

export interface ClientRequest {
  readonly turns: readonly ClientTurn[]
  /** The tools it offers. */
  readonly tools: readonly string[]
  readonly isStream: boolean
  readonly schema?: JsonSchema
}

export type ClientTurn =
  | { readonly from: 'person'; readonly text: string }
  | { readonly from: 'model'; readonly calls: readonly ClientCall[] }
  | { readonly from: 'tools'; readonly results: readonly { readonly id: string; readonly text: string }[] }

export interface ClientCall {
  readonly id: string
  readonly name: string
  readonly arguments: object
}

export type ReplyDelta =
  | { readonly adds: 'thinking' | 'text'; readonly text: string }
  | {
      readonly adds: 'call'
      readonly index: number
      readonly id?: string
      readonly name?: string
      readonly json: string
    }
  | { readonly adds: 'usage'; readonly input: number; readonly output: number }
  /** The provider's own sign that the reply is complete. */
  | { readonly adds: 'end'; readonly reason: string }

const responses: ModelClient = {
  name: 'OpenAI Responses',
  path: () => '/v1/responses',
  body: ({ turns, tools, isStream, schema }) => ({
    model: 'any',
    stream: isStream,
    input: turns.flatMap((turn): object[] => {
      switch (turn.from) {
        case 'person':
          return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: turn.text }] }]
        case 'model':
          return turn.calls.map((call) => ({
            type: 'function_call',
            call_id: call.id,
            name: call.name,
            arguments: JSON.stringify(call.arguments),
          }))
        case 'tools':
          return turn.results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }))
      }
    }),
    tools: tools.map((name) => ({ type: 'function', name, parameters: {} })),
    ...(schema && { text: { format: { type: 'json_schema', schema } } }),
  }),
  read(event) {
    interface Item {
      readonly type: string
      readonly call_id: string
      readonly name: string
    }
    interface Event {
      readonly type: string
      readonly delta: string
      readonly output_index: number
      readonly item: Item
      readonly response: { readonly status: string; readonly usage: Tokens }
    }
    const { type, delta, output_index: index, item, response } = event as Event
    switch (type) {
      case 'response.reasoning_summary_text.delta':
        return [{ adds: 'thinking', text: delta }]
      case 'response.output_text.delta':
        return [{ adds: 'text', text: delta }]
      case 'response.output_item.added':
        return item.type === 'function_call'
          ? [{ adds: 'call', index, id: item.call_id, name: item.name, json: '' }]
          : []
      case 'response.function_call_arguments.delta':
        return [{ adds: 'call', index, json: delta }]
      case 'response.completed':
        return [usageOf(response.usage), { adds: 'end', reason: response.status }]
      default:
        return []
    }
  },
  wholeText: (answer) =>
    (answer as { output: { content?: { text: string }[] }[] }).output.find(({ content }) => content)?.content?.[0]
      ?.text,
}

interface Tokens {
  readonly input_tokens: number
  readonly output_tokens: number
}

function usageOf({ input_tokens: input, output_tokens: output }: Tokens): ReplyDelta {
  return { adds: 'usage', input, output }
}

const chatCompletions: ModelClient = {
  name: 'OpenAI Chat Completions',
  path: () => '/v1/chat/completions',
  body: ({ turns, tools, isStream, schema }) => ({
    model: 'any',
    stream: isStream,
    messages: turns.flatMap((turn): object[] => {
      switch (turn.from) {
        case 'person':
          return [{ role: 'user', content: turn.text }]
        case 'model': {
          const tool_calls = turn.calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.arguments) },
          }))
          return [{ role: 'assistant', content: null, tool_calls }]
        }
        case 'tools':
          return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
      }
    }),
    tools: tools.map((name) => ({ type: 'function', function: { name, parameters: {} } })),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'any', schema } } }),
  }),
  read(event) {
    interface Delta {
      readonly reasoning_content?: string
      readonly content?: string
      readonly tool_calls?: readonly {
        readonly index: number
        readonly id?: string
        readonly function: { readonly name?: string; readonly arguments: string }
      }[]
    }
    interface Chunk {
      readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[]
      readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
    }
    const { choices, usage } = event as Chunk
    const deltas = choices.flatMap(({ delta, finish_reason }): ReplyDelta[] => [
      ...(delta.reasoning_content ? [{ adds: 'thinking', text: delta.reasoning_content } as const] : []),
      ...(delta.content ? [{ adds: 'text', text: delta.content } as const] : []),
      ...(delta.tool_calls ?? []).map(({ index, id, function: { name, arguments: json } }) => ({
        adds: 'call' as const,
        index,
        json,
        ...(id !== undefined && { id }),
        ...(name !== undefined && { name }),
      })),
      ...(finish_reason === null ? [] : [{ adds: 'end', reason: finish_reason } as const]),
    ])
    return usage ? [...deltas, { adds: 'usage', input: usage.prompt_tokens, output: usage.completion_tokens }] : deltas
  },
  wholeText: (answer) => (answer as { choices: { message: { content: string } }[] }).choices[0]?.message.content,
}

const messages: ModelClient = {
  name: 'Anthropic Messages',
  path: () => '/v1/messages',
  body: ({ turns, tools, isStream, schema }) => ({
    model: 'any',
    max_tokens: 1000,
    stream: isStream,
    messages: turns.map((turn) => {
      switch (turn.from) {
        case 'person':
          return { role: 'user', content: [{ type: 'text', text: turn.text }] }
        case 'model': {
          const content = turn.calls.map((call) => ({
            type: 'tool_use',
            id: call.id,
            name: call.name,
            input: call.arguments,
          }))
          return { role: 'assistant', content }
        }
        case 'tools': {
          const content = turn.results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text }))
          return { role: 'user', content }
        }
      }
    }),
    tools: tools.map((name) => ({ name, input_schema: {} })),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
  }),
  read(event) {
    interface Event {
      readonly type: string
      readonly index: number
      readonly content_block: { readonly type: string; readonly id: string; readonly name: string }
      readonly delta: Readonly<Record<string, string>>
      readonly usage: Tokens
    }
    const { type, index, content_block: block, delta, usage } = event as Event
    switch (type) {
      case 'content_block_start':
        return block.type === 'tool_use' ? [{ adds: 'call', index, id: block.id, name: block.name, json: '' }] : []
      case 'content_block_delta':
        switch (delta['type']) {
          case 'thinking_delta':
            return [{ adds: 'thinking', text: delta['thinking']! }]
          case 'text_delta':
            return [{ adds: 'text', text: delta['text']! }]
          case 'input_json_delta':
            return [{ adds: 'call', index, json: delta['partial_json']! }]
          default:
            return []
        }
      case 'message_delta':
        return [usageOf(usage), { adds: 'end', reason: delta['stop_reason']! }]
      default:
        return []
    }
  },
  wholeText: (answer) => (answer as { content: { text?: string }[] }).content.find(({ text }) => text)?.text,
}

const gemini: ModelClient = {
  name: 'Gemini',
  path: (isStream) => `/v1beta/models/any:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: ({ turns, tools, schema }) => ({
    contents: turns.map((turn) => {
      switch (turn.from) {
        case 'person':
          return { role: 'user', parts: [{ text: turn.text }] }
        case 'model':
          return {
            role: 'model',
            parts: turn.calls.map((call) => ({
              functionCall: { id: call.id, name: call.name, args: call.arguments },
            })),
          }
        case 'tools':
          return {
            role: 'user',
            parts: turn.results.map(({ id, text }) => ({
              functionResponse: { id, name: 'any', response: { output: text } },
            })),
          }
      }
    }),
    tools: tools.length > 0 ? [{ functionDeclarations: tools.map((name) => ({ name, parameters: {} })) }] : [],
    generationConfig: schema ? { responseJsonSchema: schema } : {},
  }),
  read(event) {
    interface Part {
      readonly text?: string
      readonly thought?: boolean
      readonly functionCall?: { readonly id: string; readonly name: string; readonly args: object }
    }
    interface Chunk {
      readonly candidates: readonly { readonly content: { readonly parts: Part[] }; readonly finishReason?: string }[]
      readonly usageMetadata: { readonly promptTokenCount: number; readonly candidatesTokenCount: number }
    }
    const { candidates, usageMetadata } = event as Chunk
    const deltas = candidates.flatMap(({ content, finishReason }): ReplyDelta[] => [
      ...content.parts.flatMap(({ text, thought, functionCall: call }): ReplyDelta[] => {
        if (text !== undefined) return [{ adds: thought ? 'thinking' : 'text', text }]
        // A call has no index of its own.
        return call ? [{ adds: 'call', index: NaN, id: call.id, name: call.name, json: JSON.stringify(call.args) }] : []
      }),
      ...(finishReason === undefined ? [] : [{ adds: 'end', reason: finishReason } as const]),
    ])
    const { promptTokenCount: input, candidatesTokenCount: output } = usageMetadata
    return [...deltas, { adds: 'usage', input, output }]
  },
  wholeText: (answer) => {
    const { candidates } = answer as { candidates: { content: { parts: { text?: string; thought?: boolean }[] } }[] }
    return candidates[0]?.content.parts.find(({ text, thought }) => text !== undefined && !thought)?.text
  },
}

export const clients: readonly ModelClient[] = [responses, chatCompletions, messages, gemini]
