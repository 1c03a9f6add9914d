/** Parses text into messages, in the same way for every transport. */
import { parseExactly } from '../base/exact-numbers.ts'
import { HubError } from '../base/hub-error.ts'
import { deepestNesting, isNestedDeeper } from '../base/json-nesting.ts'
import type { RpcRequest } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { TransportListener } from './transport.ts'

const quotedCharacters = 120

/** Passes on the messages in the text. Returns whether the answer to `during` was among them. */
export function deliver(text: string, listener: TransportListener, during?: RpcRequest): boolean {
  if (isTooDeep(text)) return leaveOut(tooDeep)
  let parsed: unknown
  try {
    parsed = parseExactly(text)
  } catch (error) {
    return leaveOut(error instanceof HubError ? error.message : `not JSON: ${quote(text)}`)
  }
  if (!Array.isArray(parsed)) return deliverOne(parsed, listener, during)
  let isAnswered = false
  for (const one of parsed) if (deliverOne(one, listener, during)) isAnswered = true
  return isAnswered

  function leaveOut(reason: string): boolean {
    const lost = reportGarbage(listener, reason, text, text)
    return lost !== undefined && lost === during?.id
  }
}

/** Later code walks a message by recursion, so its depth is limited. */
export function isTooDeep(text: string): boolean {
  return isNestedDeeper(text, deepestNesting)
}

const tooDeep = `a message is nested deeper than ${deepestNesting} levels and was dropped`

function deliverOne(message: unknown, listener: TransportListener, during: RpcRequest | undefined): boolean {
  if (!isRecord(message)) {
    listener.garbage(`JSON, but not a message: ${quote(JSON.stringify(message))}`)
    return false
  }
  listener.message(message, during)
  return during !== undefined && !('method' in message) && message['id'] === during.id
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
