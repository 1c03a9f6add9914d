/** From text to messages. The sender gets an error for every fault, and no other client is affected. */
import { inexactNumber } from '../base/exact-numbers.ts'
import { isNestedDeeper } from '../base/json-nesting.ts'
import { isReturnable, longestReturned } from '../base/returned-text.ts'
import type { RpcMessage } from '../mcp/mcp.ts'
import { errorCode, failure, isRecord, isRequest, isResponse, metaOf, RpcError } from '../mcp/mcp.ts'

/** Deeper than any honest message, and shallow enough for code that walks it recursively. */
const maxDepth = 100
const maxIdLength = 256
const shownDigits = 40

export interface Body {
  readonly json: unknown
  /** The text of a number that parsing changed, if there is one. */
  readonly changedNumber: string | undefined
  /** The most keys and array elements in each of its messages. */
  readonly maxMembers: number
}

export function parseBody(text: string, maxMembers: number): Body {
  if (isNestedDeeper(text, maxDepth)) throw invalid(`the body is nested deeper than ${maxDepth} levels`)
  try {
    return { json: JSON.parse(text), changedNumber: inexactNumber(text), maxMembers }
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
    if (isRecord(params) && !isReturnable(metaOf(params)['progressToken'])) {
      throw invalid(`params._meta.progressToken must be a number or a text of at most ${longestReturned} characters`)
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
  return messages.map((message) => checkMessage(asMessage(message), body))
}

/**
 * Some messages cannot be sent on exactly as the policy saw them. Such a request is refused, and such an answer to a
 * question of the hub becomes an error.
 */
export function checkMessage(message: RpcMessage, { changedNumber, maxMembers }: Body): RpcMessage {
  const fault =
    faultIn(message, maxMembers) ?? (changedNumber === undefined ? undefined : describeChangedNumber(changedNumber))
  if (fault === undefined) return message
  const error = new RpcError(errorCode.invalidParams, fault, {
    status: isRequest(message) ? 200 : 400,
  })
  if (isResponse(message)) return failure(message.id, error)
  throw error
}

function describeChangedNumber(number: string): string {
  const shown = number.length > shownDigits ? `${number.slice(0, shownDigits)}…` : number
  return `Invalid params: the number ${shown} would lose digits, because numbers are read as doubles. Send it as a string.`
}

/** Walks the whole message once. Its depth is already limited. */
function faultIn(message: RpcMessage, maxMembers: number): string | undefined {
  let members = 0
  function walk(value: unknown): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined
    const keys = Array.isArray(value) ? undefined : Object.keys(value)
    // Much JavaScript code takes this key for the object's prototype, so the policy might not see what is sent on.
    if (keys?.includes('__proto__'))
      return 'Invalid params: the key "__proto__" is not accepted, at any depth. Leave it out.'
    const inside: readonly unknown[] = keys ? Object.values(value) : (value as readonly unknown[])
    members += inside.length
    if (members > maxMembers) {
      return `Invalid params: a message may have ${maxMembers} members (keys and array elements, at all depths), and this one has more. Split it, or raise the setting max_call_members.`
    }
    for (const one of inside) {
      const fault = walk(one)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  return walk('method' in message ? message.params : 'result' in message ? message.result : message.error)
}

function isValidId(id: unknown): boolean {
  return typeof id === 'string' ? id.length <= maxIdLength : Number.isSafeInteger(id)
}

function invalid(what: string): RpcError {
  return new RpcError(errorCode.invalidRequest, `Invalid request: ${what}.`, { status: 400 })
}
