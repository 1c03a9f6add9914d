/** From bytes to messages. Whatever is wrong with them is told to their sender, and harms nobody else. */
import { inexactNumber } from '../base/exact-numbers.ts'
import { isNestedDeeper } from '../base/json-nesting.ts'
import type { RpcMessage } from './wire.ts'
import { errorCode, failure, isRecord, isRequest, isResponse, RpcError } from './wire.ts'

/** Deeper than any honest message, and shallow enough for everything that walks it by recursion. */
const maxDepth = 100
const maxIdLength = 256
const shownDigits = 40

export interface Body {
  readonly json: unknown
  /** A number in it that is no longer what was sent. */
  readonly changedNumber: string | undefined
}

export function parseBody(text: string): Body {
  if (isNestedDeeper(text, maxDepth)) throw invalid(`the body is nested deeper than ${maxDepth} levels`)
  try {
    return { json: JSON.parse(text), changedNumber: inexactNumber(text) }
  } catch {
    throw new RpcError(errorCode.parse, 'The body is not valid JSON.', { status: 400 })
  }
}

export function asMessage(value: unknown): RpcMessage {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') throw invalid('a message is an object with "jsonrpc": "2.0"')
  const { id, method, params } = value
  if (id !== undefined && id !== null && !isValidId(id)) {
    throw invalid(`an id is an integer or a string of at most ${maxIdLength} characters`)
  }
  if (method !== undefined) {
    if (typeof method !== 'string') throw invalid('method must be a string')
    if (id === null) throw invalid('the id of a request must not be null')
    if (params !== undefined && !isRecord(params)) throw invalid('params must be an object')
    if (isRecord(params) && params['_meta'] !== undefined && !isRecord(params['_meta'])) {
      throw invalid('params._meta must be an object')
    }
    return value as unknown as RpcMessage
  }
  const isFailure = isRecord(value['error']) && typeof value['error']['code'] === 'number'
  if (id === undefined || (!isFailure && !isRecord(value['result']))) {
    throw invalid('a message has a method, or an id with a result or an error')
  }
  return value as unknown as RpcMessage
}

export function asBatch(body: Body): readonly RpcMessage[] {
  const messages = body.json as readonly unknown[]
  if (messages.length === 0) throw new RpcError(errorCode.invalidRequest, 'The batch is empty.', { status: 400 })
  return messages.map((message) => withExactNumbers(asMessage(message), body))
}

/** What was changed is neither judged nor sent on: a request is refused, and a question counts as not answered. */
export function withExactNumbers(message: RpcMessage, { changedNumber }: Body): RpcMessage {
  if (changedNumber === undefined) return message
  const number = changedNumber.length > shownDigits ? `${changedNumber.slice(0, shownDigits)}…` : changedNumber
  const error = new RpcError(
    errorCode.invalidParams,
    `Invalid params: the number ${number} would be changed on its way, for numbers are kept as doubles. Send it as a string.`,
    { status: isRequest(message) ? 200 : 400 },
  )
  if (isResponse(message)) return failure(message.id, error)
  throw error
}

function isValidId(id: unknown): boolean {
  return typeof id === 'string' ? id.length <= maxIdLength : Number.isSafeInteger(id)
}

function invalid(what: string): RpcError {
  return new RpcError(errorCode.invalidRequest, `Invalid request: ${what}.`, { status: 400 })
}
