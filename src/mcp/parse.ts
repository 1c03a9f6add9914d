/** From bytes to messages. Whatever is wrong with them is told to their sender, and harms nobody else. */
import type { RpcMessage } from './wire.ts'
import { errorCode, isRecord, RpcError } from './wire.ts'

/** Deeper than any honest message, and shallow enough for everything that walks it by recursion. */
const maxDepth = 100
const maxIdLength = 256

export function parseBody(text: string): unknown {
  assertShallow(text)
  try {
    return JSON.parse(text)
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

export function asBatch(body: readonly unknown[]): readonly RpcMessage[] {
  if (body.length === 0) throw new RpcError(errorCode.invalidRequest, 'The batch is empty.', { status: 400 })
  return body.map(asMessage)
}

function isValidId(id: unknown): boolean {
  return typeof id === 'string' ? id.length <= maxIdLength : Number.isSafeInteger(id)
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

function assertShallow(text: string): void {
  // Too short to be deep.
  if (text.length <= maxDepth) return
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === backslash) index++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === openBrace || code === openBracket) {
      if (++depth > maxDepth) throw invalid(`the body is nested deeper than ${maxDepth} levels`)
    } else if (code === closeBrace || code === closeBracket) depth--
  }
}

function invalid(what: string): RpcError {
  return new RpcError(errorCode.invalidRequest, `Invalid request: ${what}.`, { status: 400 })
}
