/** OpenAI Responses, as Codex speaks them. */
import type { JsonSchema, OfferedTool, Turn } from './conversation.ts'
import { readTurns } from './conversation.ts'
import type { Dialect, ReplyStream, StreamEvent } from './dialect.ts'
import { freshId, stepsOf, textsOf, usage } from './dialect.ts'
import type { Part } from './part.ts'
import { piecesOf } from './part.ts'

interface ResponsesRequest {
  readonly input?: readonly InputItem[]
  readonly tools?: readonly ToolItem[]
  readonly text?: { readonly format?: { readonly schema?: JsonSchema } }
}

interface InputItem {
  readonly type?: string
  readonly role?: string
  readonly content?: unknown
  readonly output?: unknown
  readonly tools?: readonly ToolItem[]
}

interface ToolItem {
  readonly name?: string
  readonly tools?: readonly { readonly name: string }[]
}

const tokens = {
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.total,
}

export const responses: Dialect = {
  path: /\/responses$/,
  wantsStream: (body) => body['stream'] === true,
  read(body) {
    const { input = [], tools = [], text }: ResponsesRequest = body
    const schema = text?.format?.schema
    return {
      ...readTurns(input.flatMap(turnsOf)),
      // With OpenAI's own models, Codex offers its tools in an item of the input.
      tools: [...tools, ...input.flatMap((item) => item.tools ?? [])].flatMap(offeredBy),
      ...(schema && { schema }),
    }
  },
  whole: (parts) => responseWith(parts.map(itemOf)),
  stream(parts) {
    const items = parts.map(itemOf)
    const response = responseWith(items)
    const begun = { response: { ...response, status: 'in_progress', output: [], usage: null } }
    return numbered({
      head: [eventOf('response.created', begun), eventOf('response.in_progress', begun)],
      steps: parts.flatMap((part, output_index) => {
        const item = items[output_index]!
        const { begin, delta, end } = eventsOf(part, { item_id: item.id, output_index })
        return stepsOf(part, delta, {
          before: [
            eventOf('response.output_item.added', { output_index, item: { ...item, ...beginningOf(part) } }),
            ...begin,
          ],
          after: [...end, eventOf('response.output_item.done', { output_index, item })],
        })
      }),
      tail: [eventOf('response.completed', { response })],
    })
  },
  failure: (status, message) => ({ error: { message, type: 'scripted', param: null, code: String(status) } }),
  full: [
    eventOf('response.failed', {
      response: {
        ...responseWith([]),
        status: 'failed',
        error: {
          code: 'context_length_exceeded',
          message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        },
      },
      sequence_number: 0,
    }),
  ],
}

function numbered({ head, steps, tail }: ReplyStream): ReplyStream {
  let sequence_number = 0
  const number = (events: readonly StreamEvent[]) =>
    events.map(({ event, data }) => eventOf(event!, { ...(data as object), sequence_number: sequence_number++ }))
  return { head: number(head), steps: steps.map(number), tail: number(tail) }
}

function turnsOf({ type = 'message', role, content, output }: InputItem): readonly Turn[] {
  if (type === 'message') return role === 'user' ? [{ from: 'person', texts: textsOf(content) }] : []
  return type.endsWith('_output') ? [{ from: 'tool', text: textsOf(output).join('\n') }] : []
}

function offeredBy({ name, tools }: ToolItem): readonly OfferedTool[] {
  if (name === undefined) return []
  return tools ? tools.map((tool) => ({ name: tool.name, namespace: name })) : [{ name }]
}

function eventOf(type: string, fields: object): StreamEvent {
  return { event: type, data: { type, ...fields } }
}

function responseWith(output: readonly object[]) {
  const made = { id: freshId('resp'), object: 'response', created_at: Math.floor(Date.now() / 1000) }
  return { ...made, model: 'scripted', status: 'completed', output, usage: tokens }
}

function itemOf(part: Part) {
  const id = freshId('item')
  switch (part.is) {
    case 'thought':
      return {
        id,
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: part.deltas.join('') }],
        encrypted_content: 'sealed',
      }
    case 'text': {
      const content = [outputText(part.deltas.join(''))]
      return { id, type: 'message', role: 'assistant', status: 'completed', content }
    }
    case 'call': {
      const { name, namespace } = part.tool
      const made = { id, type: 'function_call', status: 'completed' }
      const call = { ...made, call_id: part.id, name, arguments: JSON.stringify(part.input) }
      return namespace === undefined ? call : { ...call, namespace }
    }
  }
}

/** The fields that are still empty when the item is announced. */
function beginningOf(part: Part): object {
  switch (part.is) {
    case 'thought':
      return { summary: [] }
    case 'text':
      return { content: [], status: 'in_progress' }
    case 'call':
      return { arguments: '', status: 'in_progress' }
  }
}

function eventsOf(part: Part, place: object) {
  switch (part.is) {
    case 'thought': {
      const at = { ...place, summary_index: 0 }
      const text = part.deltas.join('')
      return {
        begin: [eventOf('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })],
        delta: part.deltas.map((delta) => eventOf('response.reasoning_summary_text.delta', { ...at, delta })),
        end: [
          eventOf('response.reasoning_summary_text.done', { ...at, text }),
          eventOf('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } }),
        ],
      }
    }
    case 'text': {
      const at = { ...place, content_index: 0 }
      const text = part.deltas.join('')
      return {
        begin: [eventOf('response.content_part.added', { ...at, part: outputText('') })],
        delta: part.deltas.map((delta) => eventOf('response.output_text.delta', { ...at, delta })),
        end: [
          eventOf('response.output_text.done', { ...at, text }),
          eventOf('response.content_part.done', { ...at, part: outputText(text) }),
        ],
      }
    }
    case 'call': {
      const json = JSON.stringify(part.input)
      return {
        begin: [],
        delta: piecesOf(json).map((delta) => eventOf('response.function_call_arguments.delta', { ...place, delta })),
        end: [eventOf('response.function_call_arguments.done', { ...place, arguments: json })],
      }
    }
  }
}

function outputText(text: string): object {
  return { type: 'output_text', text, annotations: [] }
}
