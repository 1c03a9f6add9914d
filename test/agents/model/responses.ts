/** OpenAI Responses, as Codex speaks them. */
import type { JsonSchema, OfferedTool, Turn } from './conversation.ts'
import { readTurns } from './conversation.ts'
import type { Dialect, StreamEvent } from './dialect.ts'
import { freshId, piecesOf, textsOf } from './dialect.ts'
import type { Part } from './script.ts'

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
}

interface ToolItem {
  readonly name?: string
  readonly tools?: readonly { readonly name: string }[]
}

const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 }

export const responses: Dialect = {
  path: /\/responses$/,
  wantsStream: (body) => body['stream'] === true,
  read(body) {
    const { input = [], tools = [], text }: ResponsesRequest = body
    const schema = text?.format?.schema
    return {
      ...readTurns(input.flatMap(turnsOf)),
      tools: tools.flatMap(offeredBy),
      ...(schema && { schema }),
    }
  },
  whole: (parts) => responseWith(parts.map(itemOf)),
  head: () => [eventOf('response.created', { response: { ...responseWith([]), status: 'in_progress' } })],
  *rest(parts) {
    const items = parts.map(itemOf)
    for (const [output_index, item] of items.entries()) {
      const part = parts[output_index]!
      const place = { item_id: item.id, output_index, content_index: 0, summary_index: 0 }
      yield eventOf('response.output_item.added', { output_index, item: { ...item, ...beginningOf(part) } })
      yield* deltasOf(part, place)
      yield eventOf('response.output_item.done', { output_index, item })
    }
    yield eventOf('response.completed', { response: responseWith(items) })
  },
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
  return { id: freshId('resp'), object: 'response', model: 'scripted', status: 'completed', output, usage }
}

function itemOf(part: Part) {
  const id = freshId('item')
  switch (part.is) {
    case 'thought':
      return {
        id,
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: part.text }],
        encrypted_content: 'sealed',
      }
    case 'text': {
      const content = [{ type: 'output_text', text: part.text, annotations: [] }]
      return { id, type: 'message', role: 'assistant', status: 'completed', content }
    }
    case 'call': {
      const { name, namespace } = part.tool
      const call = { id, type: 'function_call', call_id: part.id, name, arguments: JSON.stringify(part.input) }
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
      return { arguments: '' }
  }
}

function* deltasOf(part: Part, place: object): Iterable<StreamEvent> {
  switch (part.is) {
    case 'thought':
      yield eventOf('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } })
      yield eventOf('response.reasoning_summary_text.delta', { ...place, delta: part.text })
      break
    case 'text':
      for (const delta of piecesOf(part.text)) yield eventOf('response.output_text.delta', { ...place, delta })
      break
    case 'call':
      yield eventOf('response.function_call_arguments.delta', { ...place, delta: JSON.stringify(part.input) })
  }
}
