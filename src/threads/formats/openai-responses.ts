/** Items of the OpenAI Responses API. The records of Codex hold the same items. */
import { z } from 'zod'
import type { Format, LeaveOut, Reading } from './format.ts'
import type { Fields, Piece, Request, Result } from './piece.ts'
import { isIn, isOfAgent, namedPart, orNothing, other, textIn } from './piece.ts'
import { readAs } from './read-as.ts'
import { failureText, readArguments, resultText } from './results.ts'

const partSchema = z.looseObject({ type: z.string() })
const contentSchema = z.union([z.string(), z.array(partSchema)])

const itemSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: contentSchema,
  }),
  z.looseObject({
    type: z.literal('reasoning'),
    summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })),
    content: z.array(z.looseObject({ type: z.literal('reasoning_text'), text: z.string() })).nullish(),
  }),
  z.looseObject({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    /** Codex groups the tools of an MCP server under one name. */
    namespace: z.string().nullish(),
    arguments: z.string(),
  }),
  z.looseObject({ type: z.literal('function_call_output'), call_id: z.string(), output: contentSchema }),
  z.looseObject({ type: z.literal('custom_tool_call'), call_id: z.string(), name: z.string(), input: z.string() }),
  z.looseObject({ type: z.literal('custom_tool_call_output'), call_id: z.string(), output: contentSchema }),
])
type Item = z.output<typeof itemSchema>
type Of<Type extends Item['type']> = Extract<Item, { type: Type }>

const known: ReadonlySet<unknown> = new Set(itemSchema.options.map(({ shape }) => shape.type.value))
const anyItem = z.looseObject({ type: z.string() })
const textParts: Readonly<Record<string, 'text' | 'refusal'>> = {
  input_text: 'text',
  output_text: 'text',
  refusal: 'refusal',
}
const namespaceMark = '__'

/** Lines of a record of Codex. */
const lineSchema = z.looseObject({ type: z.literal('response_item'), payload: z.unknown() })

export const openaiResponses: Format = {
  name: 'openai-responses',
  version: 1,
  provider: 'openai',
  list: 'input',
  callIds: { pattern: /^[\w-]+$/, most: 64 },
  fromLines: (lines) => lines.flatMap((line) => lineSchema.safeParse(line).data?.payload ?? []),
  read(given, where, reading) {
    const isShort = isRecordWithRole(given)
    const { type } = isShort ? { type: 'message' } : readAs(anyItem, given, where)
    if (!known.has(type)) return [namedPart('text', type, given as Fields)]
    const item = readAs(itemSchema, isShort ? { type, ...(given as Fields) } : given, where)
    switch (item.type) {
      case 'message':
        return messagePieces(item, where, isShort)
      case 'reasoning':
        return thoughtPieces(item)
      case 'function_call':
      case 'custom_tool_call':
        return [callPiece(item)]
      case 'function_call_output':
      case 'custom_tool_call_output':
        return [resultPiece(item, reading)]
    }
  },
  continues: () => false,
  write(pieces, leaveOut) {
    const [first] = pieces
    if (isIn(other, first) && !isIn('part', first)) return first!.part!
    switch (first!.said.type) {
      case 'prompt':
      case 'text':
        return messageOf(pieces)
      case 'thinking':
        return reasoningOf(pieces)
      case 'tool-request':
        return callOf(first!)
      case 'tool-result':
        return outputOf(first!, leaveOut)
    }
  },
}

/** A message may leave out its type. */
function isRecordWithRole(value: unknown): boolean {
  return z.object({ role: z.string(), type: z.undefined().optional() }).safeParse(value).success
}

function messagePieces({ type: _, role, content, ...fields }: Of<'message'>, where: string, isShort: boolean): Piece[] {
  if (role === 'system' || role === 'developer') return []
  const type = role === 'user' ? 'prompt' : 'text'
  const isString = typeof content === 'string'
  const pieces: readonly Piece[] = isString
    ? [{ said: { type, text: content } }]
    : content.map((part, index) => partPiece(type, part, `${where}.content[${index}]`))
  const [first, ...rest] = pieces
  if (!first) return []
  const forms = [...(first.form ?? []), ...(isShort ? ['short'] : []), ...(isString ? ['string'] : [])]
  return [{ ...first, fields: orNothing(fields), ...(forms.length > 0 && { form: forms }) }, ...rest]
}

function partPiece(said: 'prompt' | 'text', given: Fields, where: string): Piece {
  const kind = textParts[String(given['type'])]
  if (kind === undefined) {
    const named = namedPart(said, String(given['type']), given)
    return { ...named, form: [other, 'part'] }
  }
  const { type, [kind]: text, ...part } = readAs(z.looseObject({ type: z.string(), [kind]: z.string() }), given, where)
  const rest = { ...(type !== usualPart(said) && { type }), ...part }
  return { said: { type: said, text: String(text) }, part: orNothing(rest) }
}

function usualPart(said: Piece['said']['type']): string {
  return said === 'prompt' ? 'input_text' : 'output_text'
}

/** A thought that comes only in encrypted form has no text. */
function thoughtPieces({ type: _, summary, content, ...rest }: Of<'reasoning'>): Piece[] {
  const isSummed = summary.length > 0
  const shown = isSummed ? summary : (content ?? [])
  const fields = { ...rest, ...((isSummed || !content?.length) && content !== undefined && { content }) }
  return shown.map(({ type: __, text, ...part }, index) => ({
    said: { type: 'thinking', text },
    part: orNothing(part),
    fields: index === 0 ? orNothing(fields) : undefined,
    ...(!isSummed && { form: ['content'] }),
  }))
}

function callPiece(item: Of<'function_call' | 'custom_tool_call'>): Piece {
  if (item.type === 'custom_tool_call') {
    const { type: _, call_id: callId, name, input, ...part } = item
    const said: Request = { type: 'tool-request', callId, name, parameters: { input } }
    return { said, part: orNothing(part), form: ['custom'] }
  }
  const { type: _, call_id: callId, name, namespace, arguments: text, ...rest } = item
  const { parameters, original } = readArguments(text)
  const fullName = namespace == null ? name : `${namespace}${namespaceMark}${name}`
  const part = {
    ...rest,
    ...(namespace !== undefined && { namespace }),
    ...(original !== undefined && { arguments: original }),
  }
  return { said: { type: 'tool-request', callId, name: fullName, parameters }, part: orNothing(part) }
}

function resultPiece(
  { type, call_id: callId, output, ...part }: Of<'function_call_output' | 'custom_tool_call_output'>,
  { nameOf }: Reading,
): Piece {
  const said: Result = { type: 'tool-result', callId, name: nameOf(callId) ?? '', result: output }
  return { said, part: orNothing(part), ...(type === 'custom_tool_call_output' && { form: ['custom'] }) }
}

function messageOf(pieces: readonly Piece[]): object | undefined {
  const [first] = pieces
  if (!first!.isOfFormat && textIn(first!) === '') return undefined
  return {
    ...(!isIn('short', first) && { type: 'message' }),
    role: isOfAgent(first!) ? 'assistant' : 'user',
    content: isIn('string', first) ? textIn(first!) : pieces.map(partOf),
    ...first!.fields,
  }
}

function partOf(piece: Piece): Fields {
  const { said, part } = piece
  if (isIn(other, piece)) return part!
  const type = typeof part?.['type'] === 'string' ? part['type'] : usualPart(said.type)
  return { type, [textParts[type] ?? 'text']: textIn(piece), ...part }
}

function reasoningOf(pieces: readonly Piece[]): object {
  const [first] = pieces
  const inContent = isIn('content', first)
  const parts = pieces.map((piece) => ({
    type: inContent ? 'reasoning_text' : 'summary_text',
    text: textIn(piece),
    ...piece.part,
  }))
  return {
    type: 'reasoning',
    ...(inContent ? { summary: [], content: parts } : { summary: parts }),
    ...first!.fields,
  }
}

function callOf(piece: Piece): object {
  const { callId, name, parameters } = piece.said as Request
  if (isIn('custom', piece)) {
    return { type: 'custom_tool_call', call_id: callId, name, input: parameters['input'], ...piece.part }
  }
  const namespace = piece.part?.['namespace']
  const start = typeof namespace === 'string' ? `${namespace}${namespaceMark}` : ''
  const own = name.startsWith(start) ? name.slice(start.length) : name
  return {
    type: 'function_call',
    call_id: callId,
    name: own,
    arguments: JSON.stringify(parameters),
    ...piece.part,
  }
}

function outputOf(piece: Piece, leaveOut: LeaveOut): object {
  const { callId, result, error } = piece.said as Result
  if (error !== undefined) leaveOut('that the tool failed', piece)
  const output = error === undefined ? (piece.isOfFormat ? result : resultText(result)) : failureText(result, error)
  const type = isIn('custom', piece) ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id: callId, output, ...piece.part }
}
