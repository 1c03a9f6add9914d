/** Turns JSON texts into messages, in the same way for every transport. */
import { parseExactly } from '../base/exact-numbers.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import { deepestNesting, isNestedDeeper } from '../base/json-nesting.ts'
import type { RpcRequest } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import { longestParsedAtOnce, mostInBatch, tooDeep, tooManyInBatch } from './message-limits.ts'
import { parseLarge } from './parse-large.ts'
import type { TransportListener } from './transport.ts'

const quotedCharacters = 120

/**
 * Passes on the messages in the JSON: at once, or when a worker has parsed it. The memory of bytes is given away.
 * Returns whether an open request was answered; with `during`, whether that one was.
 */
export function deliver(
  json: Buffer | string,
  listener: TransportListener,
  during?: RpcRequest,
): boolean | Promise<boolean> {
  if (json.length > longestParsedAtOnce) return deliverLarge(json, listener, during)
  const text = typeof json === 'string' ? json : json.toString('utf8')
  const leaveOut = (reason: string) => isLost(reportGarbage(listener, reason, text, text), during)
  if (isTooDeep(text)) return leaveOut(tooDeep)
  let parsed: unknown
  try {
    parsed = parseExactly(text)
  } catch (error) {
    return leaveOut(faultIn(error, text))
  }
  return deliverParsed(parsed, listener, during)
}

async function deliverLarge(
  json: Buffer | string,
  listener: TransportListener,
  during: RpcRequest | undefined,
): Promise<boolean> {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json
  const head = bytes.toString('utf8', 0, lookedAt)
  const tail = bytes.toString('utf8', bytes.length - lookedAt)
  let parsed: unknown
  try {
    parsed = await parseLarge(bytes)
  } catch (error) {
    return isLost(reportGarbage(listener, faultIn(error, head), head, tail), during)
  }
  return deliverParsed(parsed, listener, during)
}

function faultIn(error: unknown, text: string): string {
  if (error instanceof SyntaxError) return `not JSON: ${quote(text)}`
  return error instanceof HubError ? error.message : `a message could not be parsed: ${messageOf(error)}`
}

function isLost(id: number | undefined, during: RpcRequest | undefined): boolean {
  return id !== undefined && id === during?.id
}

/** Later code walks a message by recursion, so its depth is limited. */
export function isTooDeep(text: string): boolean {
  return isNestedDeeper(text, deepestNesting)
}

function deliverParsed(parsed: unknown, listener: TransportListener, during: RpcRequest | undefined): boolean {
  if (!Array.isArray(parsed)) return deliverOne(parsed, listener, during)
  if (parsed.length > mostInBatch) return loseBatch(parsed, listener, during)
  let isAnswered = false
  for (const one of parsed) if (deliverOne(one, listener, during)) isAnswered = true
  return isAnswered
}

function deliverOne(message: unknown, listener: TransportListener, during: RpcRequest | undefined): boolean {
  if (!isRecord(message)) {
    const shown = typeof message === 'string' ? message.slice(0, quotedCharacters) : message
    listener.garbage(`JSON, but not a message: ${quote(JSON.stringify(shown))}`)
    return false
  }
  const isAnswer = listener.message(message, during)
  return during === undefined ? isAnswer : !('method' in message) && message['id'] === during.id
}

function loseBatch(batch: readonly unknown[], listener: TransportListener, during: RpcRequest | undefined): boolean {
  listener.garbage(tooManyInBatch)
  const answered = batch.filter((one) => isRecord(one) && !('method' in one) && typeof one['id'] === 'number')
  const ids = new Set((answered as readonly { readonly id: number }[]).map(({ id }) => id))
  for (const id of ids) listener.lost({ jsonrpc: '2.0', id, method: '' }, tooManyInBatch)
  return during !== undefined && ids.has(Number(during.id))
}

/**
 * A text that cannot be parsed may still show, at its beginning or its end, which request it answers. Returns the
 * request that is lost with it.
 */
export function reportGarbage(
  listener: TransportListener,
  reason: string,
  head: string,
  tail: string,
): number | undefined {
  listener.garbage(reason)
  const id = answerAtHead.exec(head.slice(0, lookedAt))?.[1] ?? answerAtTail.exec(tail.slice(-lookedAt))?.[1]
  if (id === undefined) return undefined
  listener.lost({ jsonrpc: '2.0', id: Number(id), method: '' }, reason)
  return Number(id)
}

const lookedAt = 200
const answerAtHead = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,(?!\s*"method")/
const answerAtTail = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

/** The beginning of the text, on one line. */
export function quote(text: string, characters = quotedCharacters): string {
  const start = text.slice(0, characters).replaceAll(/[\s\p{Cc}]+/gu, ' ')
  return start.length < text.length ? `${start}…` : start
}
