/** OpenAI Chat Completions messages, which most compatible servers speak too. */
import { z } from 'zod'
import type { Format, LeaveOut, Reading } from './format.ts'
import type { Fields, Piece, Request, Result } from './piece.ts'
import { isIn, isOfAgent, namedPart, orNothing, other, textIn } from './piece.ts'
import { readAs } from './read-as.ts'
import { failureText, isTextList, readArguments, resultText } from './results.ts'

const partSchema = z.looseObject({ type: z.string() })
const contentSchema = z.union([z.string(), z.array(partSchema)])
const textSchema = z.looseObject({ type: z.literal('text'), text: z.string() })
const refusalSchema = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })

const callSchema = z.discriminatedUnion('type', [
  z.looseObject({
    id: z.string(),
    type: z.literal('function'),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
  }),
  z.looseObject({
    id: z.string(),
    type: z.literal('custom'),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
])
type Call = z.output<typeof callSchema>

const messageSchema = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system') }),
  z.looseObject({ role: z.literal('developer') }),
  z.looseObject({ role: z.literal('user'), content: contentSchema }),
  z.looseObject({
    role: z.literal('assistant'),
    content: contentSchema.nullish(),
    refusal: z.string().nullish(),
    /** Sent by servers that show how the model thinks. */
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(callSchema).optional(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string(), content: contentSchema }),
])
type Assistant = Extract<z.output<typeof messageSchema>, { role: 'assistant' }>

export const openaiChat: Format = {
  name: 'openai-chat',
  version: 1,
  provider: 'openai',
  list: 'messages',
  callIds: { pattern: /^[\w-]+$/, most: 40 },
  read(given, where, reading) {
    const message = readAs(messageSchema, given, where)
    switch (message.role) {
      case 'system':
      case 'developer':
        return []
      case 'user': {
        const { role: _, content, ...fields } = message
        return withFields(contentPieces(content, 'prompt', where), fields)
      }
      case 'assistant':
        return assistantPieces(message, where)
      case 'tool':
        return [resultPiece(message, reading)]
    }
  },
  continues(message, piece) {
    const hasCall = message.some(({ said }) => said.type === 'tool-request')
    return isOfAgent(message[0]!) && isOfAgent(piece) && (piece.said.type === 'tool-request' || !hasCall)
  },
  write(message, leaveOut) {
    const [first] = message
    switch (first!.said.type) {
      case 'prompt':
        return { role: 'user', ...contentOf(message), ...first!.fields }
      case 'tool-result': {
        const { callId, result, error } = first!.said
        const content = error === undefined && isTextList(result) ? result : textOf(first!.said, leaveOut, first!)
        return { role: 'tool', tool_call_id: callId, content, ...first!.fields }
      }
      default:
        return assistantMessage(message, leaveOut)
    }
  },
}

function withFields([first, ...rest]: readonly Piece[], fields: Fields): readonly Piece[] {
  return first ? [{ ...first, fields: orNothing(fields) }, ...rest] : []
}

function contentPieces(content: string | readonly Fields[], type: 'prompt' | 'text', where: string): readonly Piece[] {
  if (typeof content === 'string') return [{ said: { type, text: content } }]
  return content.map((given, index): Piece => {
    const place = `${where}.content[${index}]`
    if (given['type'] === 'refusal') {
      const { type: _, refusal, ...part } = readAs(refusalSchema, given, place)
      return { said: { type, text: refusal }, part: orNothing(part), form: ['list', 'refusal'] }
    }
    if (given['type'] !== 'text') return namedPart(type, String(given['type']), given)
    const { type: _, text, ...part } = readAs(textSchema, given, place)
    return { said: { type, text }, part: orNothing(part), form: ['list'] }
  })
}

function assistantPieces(message: Assistant, where: string): readonly Piece[] {
  const { role: _, content, refusal, reasoning_content: reasoning, tool_calls: calls, ...rest } = message
  const said: Piece[] = [
    ...(reasoning ? [{ said: { type: 'thinking', text: reasoning } } as const] : []),
    ...(content ? contentPieces(content, 'text', where) : []),
    ...(refusal ? [{ said: { type: 'text', text: refusal }, form: ['refusal-field'] } as const] : []),
    ...(calls ?? []).map(callPiece),
  ]
  return withFields(said, {
    ...rest,
    // These fields are empty, so they are kept as they are.
    ...('content' in message && !content && { content }),
    ...('refusal' in message && !refusal && { refusal }),
    ...('reasoning_content' in message && !reasoning && { reasoning_content: reasoning }),
    ...(calls?.length === 0 && { tool_calls: calls }),
  })
}

function callPiece(call: Call): Piece {
  if (call.type === 'custom') {
    const { id: callId, type: _, custom, ...part } = call
    const { name, input, ...inner } = custom
    const said: Request = { type: 'tool-request', callId, name, parameters: { input } }
    return { said, part: orNothing({ ...part, ...(orNothing(inner) && { custom: inner }) }), form: ['custom'] }
  }
  const { id: callId, type: _, function: called, ...part } = call
  const { name, arguments: text, ...inner } = called
  const { parameters, original } = readArguments(text)
  const more = { ...inner, ...(original !== undefined && { arguments: original }) }
  return {
    said: { type: 'tool-request', callId, name, parameters },
    part: orNothing({ ...part, ...(orNothing(more) && { function: more }) }),
  }
}

function resultPiece(
  { role: _, tool_call_id: callId, content, ...fields }: Extract<z.output<typeof messageSchema>, { role: 'tool' }>,
  { nameOf }: Reading,
): Piece {
  return {
    said: { type: 'tool-result', callId, name: nameOf(callId) ?? '', result: content },
    fields: orNothing(fields),
  }
}

function assistantMessage(message: readonly Piece[], leaveOut: LeaveOut): object | undefined {
  const [first] = message
  const of = (type: Piece['said']['type']) => message.filter(({ said }) => said.type === type)
  const refusal = message.find((piece) => isIn('refusal-field', piece))
  const texts = of('text').filter((piece) => piece !== refusal && (piece.isOfFormat || textIn(piece) !== ''))
  const calls = of('tool-request')
  // Only a server that sent thoughts accepts them.
  const thoughts = of('thinking').filter(({ isOfFormat }) => isOfFormat)
  for (const thought of of('thinking')) if (!thought.isOfFormat) leaveOut('a thought', thought)
  if (texts.length + calls.length + thoughts.length === 0 && !refusal) return undefined
  return {
    role: 'assistant',
    ...(thoughts.length > 0 && { reasoning_content: thoughts.map(textIn).join('\n') }),
    ...(texts.length > 0 && contentOf(texts)),
    ...(refusal && { refusal: textIn(refusal) }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
    ...first!.fields,
  }
}

function contentOf(pieces: readonly Piece[]): Fields {
  const [first] = pieces
  const isPlain = pieces.length === 1 && !first!.part && !first!.form
  if (isPlain) return { content: textIn(first!) }
  return { content: pieces.map(partOf) }
}

function partOf(piece: Piece): Fields {
  const { part } = piece
  if (isIn(other, piece)) return part!
  const text = textIn(piece)
  return isIn('refusal', piece) ? { type: 'refusal', refusal: text, ...part } : { type: 'text', text, ...part }
}

function callOf({ said, part, form }: Piece): Fields {
  const { callId: id, name, parameters } = said as Request
  if (form?.includes('custom')) {
    const { custom, ...rest } = (part ?? {}) as { custom?: Fields }
    return { id, type: 'custom', custom: { name, input: parameters['input'], ...custom }, ...rest }
  }
  const { function: called, ...rest } = (part ?? {}) as { function?: Fields }
  return { id, type: 'function', function: { name, arguments: JSON.stringify(parameters), ...called }, ...rest }
}

function textOf({ result, error }: Result, leaveOut: LeaveOut, piece: Piece): string {
  if (error === undefined) return resultText(result)
  leaveOut('that the tool failed', piece)
  return failureText(result, error)
}
