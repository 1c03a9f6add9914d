/** Anthropic messages, as in a request to its Messages API and in the transcripts of Claude Code. */
import { z } from 'zod'
import { isRecord } from '../../base/is-record.ts'
import type { Format, LeaveOut, Reading } from './format.ts'
import type { Fields, Piece, Result } from './piece.ts'
import { isIn, isOfAgent, namedPart, orNothing, other } from './piece.ts'
import { readAs } from './read-as.ts'
import { failureText, resultText } from './results.ts'

const blockSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).optional(),
    is_error: z.boolean().optional(),
  }),
])
const knownBlocks: ReadonlySet<string> = new Set(['text', 'thinking', 'tool_use', 'tool_result'])

const messageSchema = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
})

/** Lines of a transcript of Claude Code, without those of subagents. */
const lineSchema = z.looseObject({
  type: z.enum(['user', 'assistant']),
  isSidechain: z.literal(false).optional(),
  message: z.looseObject({ role: z.string() }),
})

export const anthropic: Format = {
  name: 'anthropic',
  version: 1,
  provider: 'anthropic',
  list: 'messages',
  callIds: { pattern: /^[\w-]+$/, most: 128 },
  fromLines: (lines) => lines.flatMap((line) => lineSchema.safeParse(line).data?.message ?? []),
  read(message, where, reading) {
    const { role, content, ...fields } = readAs(messageSchema, message, where)
    if (role === 'system' || content.length === 0) return []
    const isString = typeof content === 'string'
    const blocks = isString ? [{ type: 'text', text: content }] : content
    const pieces = blocks.map((block, index) =>
      pieceOf(role, block, isString ? where : `${where}.content[${index}]`, reading),
    )
    const [first, ...rest] = pieces
    return [
      { ...first!, fields: orNothing(fields), ...(isString && { form: [...(first!.form ?? []), 'string'] }) },
      ...rest,
    ]
  },
  continues: (message, piece) => isOfAgent(message[0]!) === isOfAgent(piece),
  write(message, leaveOut) {
    const [first] = message
    const content = message.flatMap((piece) => blockOf(piece, leaveOut))
    if (content.length === 0) return undefined
    const [only] = content
    return {
      role: isOfAgent(first!) ? 'assistant' : 'user',
      content: isIn('string', first) ? only!['text'] : content,
      ...first!.fields,
    }
  },
}

function pieceOf(role: 'user' | 'assistant', given: Fields, where: string, { nameOf }: Reading): Piece {
  const type = role === 'user' ? 'prompt' : 'text'
  if (!knownBlocks.has(String(given['type']))) {
    const isThought = given['type'] === 'redacted_thinking'
    return namedPart(isThought ? 'thinking' : type, String(given['type']), given)
  }
  const block = readAs(blockSchema, given, where)
  switch (block.type) {
    case 'text': {
      const { type: _, text, ...part } = block
      return { said: { type, text }, part: orNothing(part) }
    }
    case 'thinking': {
      const { type: _, thinking, ...part } = block
      return { said: { type: 'thinking', text: thinking }, part: orNothing(part) }
    }
    case 'tool_use': {
      const { type: _, id, name, input, ...part } = block
      return { said: { type: 'tool-request', callId: id, name, parameters: input }, part: orNothing(part) }
    }
    case 'tool_result': {
      const { type: _, tool_use_id: callId, content, is_error: isError, ...rest } = block
      const part = isError === false ? { ...rest, is_error: false } : rest
      const said: Result = {
        type: 'tool-result',
        callId,
        name: nameOf(callId) ?? '',
        result: content ?? null,
        ...(isError === true && { error: resultText(content) }),
      }
      return { said, part: orNothing(part) }
    }
  }
}

function blockOf(piece: Piece, leaveOut: LeaveOut): Fields[] {
  const { said, part } = piece
  if (isIn(other, piece)) return [part!]
  switch (said.type) {
    case 'prompt':
    case 'text':
      // The API refuses an empty text.
      return said.text === '' && !piece.isOfFormat ? [] : [{ type: 'text', text: said.text, ...part }]
    case 'thinking':
      if (part?.['signature'] !== undefined) return [{ type: 'thinking', thinking: said.text, ...part }]
      leaveOut('a thought without a signature of Anthropic', piece)
      return []
    case 'tool-request':
      return [{ type: 'tool_use', id: said.callId, name: said.name, input: said.parameters, ...part }]
    case 'tool-result': {
      const content = contentOf(said)
      return [
        {
          type: 'tool_result',
          tool_use_id: said.callId,
          ...(content !== undefined && { content }),
          ...(said.error !== undefined && { is_error: true }),
          ...part,
        },
      ]
    }
  }
}

function contentOf({ result, error }: Result): unknown {
  if (error !== undefined && resultText(result) !== error) return failureText(result, error)
  if (result === null || result === undefined) return undefined
  return isContent(result) ? result : resultText(result)
}

/** Drivers do not keep the data of pictures. */
function isContent(result: unknown): boolean {
  const hasData = ({ source }: Fields) => isRecord(source) && ['data', 'url', 'file_id'].some((key) => key in source)
  const isBlock = (block: unknown) =>
    isRecord(block) &&
    ((block['type'] === 'text' && typeof block['text'] === 'string') ||
      (['image', 'document'].includes(String(block['type'])) && hasData(block)) ||
      ['search_result', 'tool_reference'].includes(String(block['type'])))
  return typeof result === 'string' || (Array.isArray(result) && result.length > 0 && result.every(isBlock))
}
