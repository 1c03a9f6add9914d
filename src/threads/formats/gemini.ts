/** Contents of the Gemini API. */
import { z } from 'zod'
import { isRecord } from '../../base/is-record.ts'
import { contentsOfChat } from './gemini-chat.ts'
import type { Format, Reading } from './format.ts'
import type { Fields, Piece, Request, Result } from './piece.ts'
import { isIn, isOfAgent, namedPart, orNothing, other, textIn } from './piece.ts'
import { readAs } from './read-as.ts'
import { failureText } from './results.ts'

const partSchema = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z
    .looseObject({
      id: z.string().optional(),
      name: z.string(),
      args: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  functionResponse: z
    .looseObject({
      id: z.string().optional(),
      name: z.string(),
      response: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
})
const contentSchema = z.looseObject({
  role: z.enum(['user', 'model']).optional(),
  parts: z.array(partSchema),
})
type Part = z.output<typeof partSchema>

export const gemini: Format = {
  name: 'gemini',
  version: 1,
  provider: 'google',
  list: 'contents',
  callIds: { pattern: /^.+$/s, most: 1_000 },
  fromLines: contentsOfChat,
  read(message, where, reading) {
    const { role, parts, ...fields } = readAs(contentSchema, message, where)
    const [first, ...rest] = parts.map((part) => pieceOf(role ?? 'user', part, reading))
    if (!first) return []
    const form = [...(first.form ?? []), ...(role === undefined ? ['no-role'] : [])]
    return [{ ...first, fields: orNothing(fields), ...(form.length > 0 && { form }) }, ...rest]
  },
  continues: (message, piece) => isOfAgent(message[0]!) === isOfAgent(piece),
  write(message) {
    const [first] = message
    const parts = message.flatMap(partOf)
    if (parts.length === 0) return undefined
    const role = isOfAgent(first!) ? 'model' : 'user'
    return { ...(!isIn('no-role', first) && { role }), parts, ...first!.fields }
  },
}

function pieceOf(role: 'user' | 'model', part: Part, reading: Reading): Piece {
  const { text, thought, functionCall, functionResponse, ...rest } = part
  if (functionCall) {
    const { id, name, args, ...inner } = functionCall
    const callId = id ?? reading.newCallId()
    const said: Request = { type: 'tool-request', callId, name, parameters: args ?? {} }
    const forms = [...(id === undefined ? ['no-id'] : []), ...(args ? [] : ['empty'])]
    return { said, ...kept(rest, 'functionCall', inner), ...(forms.length > 0 && { form: forms }) }
  }
  if (functionResponse) {
    const { id, name, response, ...inner } = functionResponse
    const callId = id ?? reading.openCall(name) ?? reading.newCallId()
    const { form, ...outcome } = outcomeOf(response)
    const forms = [...(form ?? []), ...(id === undefined ? ['no-id'] : [])]
    const said: Result = { type: 'tool-result', callId, name, ...outcome }
    return { said, ...kept(rest, 'functionResponse', inner), ...(forms.length > 0 && { form: forms }) }
  }
  const type = role === 'user' ? 'prompt' : 'text'
  if (text === undefined) return namedPart(type, Object.keys(rest)[0] ?? 'part', part)
  const more = thought === false ? { ...rest, thought } : rest
  return { said: { type: thought ? 'thinking' : type, text }, part: orNothing(more) }
}

function kept(part: Fields, name: string, inner: Fields): Pick<Piece, 'part'> {
  return { part: orNothing({ ...part, ...(orNothing(inner) && { [name]: inner }) }) }
}

/** A result is in `output` and a failure in `error`, unless the tool gave an object of its own. */
function outcomeOf(response: Fields | undefined): Pick<Result, 'result' | 'error'> & Required<Pick<Piece, 'form'>> {
  if (!response) return { result: null, form: ['empty'] }
  const { output, error, ...others } = response
  const isAlone = Object.keys(others).length === 0
  if (isAlone && output !== undefined && error === undefined) return { result: output, form: [] }
  if (isAlone && typeof error === 'string' && output === undefined) return { result: null, error, form: [] }
  return { result: response, form: ['object'] }
}

function partOf(piece: Piece): Fields[] {
  const { said, part } = piece
  if (isIn(other, piece)) return [part!]
  const id = (callId: string) => (isIn('no-id', piece) ? {} : { id: callId })
  switch (said.type) {
    case 'prompt':
    case 'text':
      return textIn(piece) === '' && !piece.isOfFormat ? [] : [{ text: said.text, ...part }]
    case 'thinking':
      return [{ text: said.text, thought: true, ...part }]
    case 'tool-request': {
      const { functionCall, ...rest } = (part ?? {}) as { functionCall?: Fields }
      const { callId, name, parameters } = said
      const args = isIn('empty', piece) ? {} : { args: parameters }
      return [{ functionCall: { ...id(callId), name, ...args, ...functionCall }, ...rest }]
    }
    case 'tool-result': {
      const { functionResponse, ...rest } = (part ?? {}) as { functionResponse?: Fields }
      const { callId, name } = said
      const response = isIn('empty', piece) ? {} : { response: responseOf(piece) }
      return [{ functionResponse: { ...id(callId), name, ...response, ...functionResponse }, ...rest }]
    }
  }
}

function responseOf(piece: Piece): unknown {
  const { result, error } = piece.said as Result
  if (error !== undefined) return { error: failureText(result, error) }
  return isIn('object', piece) && isRecord(result) ? result : { output: result ?? '' }
}
