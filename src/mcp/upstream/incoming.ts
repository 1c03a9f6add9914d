/** From text to messages, for every transport alike. */
import { parseExactly } from '../../base/exact-numbers.ts'
import { deepestNesting, isNestedDeeper } from '../../base/json-nesting.ts'
import type { RpcRequest } from '../wire.ts'
import { isRecord } from '../wire.ts'
import type { TransportListener } from './transport.ts'

const quotedCharacters = 120

/** Hands on what the text holds, and says whether the answer to `during` was in it. */
export function deliver(text: string, listener: TransportListener, during?: RpcRequest): boolean {
  if (isTooDeep(text)) return leaveOut(tooDeep)
  let parsed: unknown
  try {
    parsed = parseExactly(text)
  } catch {
    return leaveOut(`it is no JSON: ${quote(text)}`)
  }
  if (!Array.isArray(parsed)) return deliverOne(parsed, listener, during)
  let isAnswered = false
  for (const one of parsed) if (deliverOne(one, listener, during)) isAnswered = true
  return isAnswered

  function leaveOut(reason: string): boolean {
    const lost = tellGarbage(listener, reason, text, text)
    return lost !== undefined && lost === during?.id
  }
}

/** Whatever walks a message later does so by recursion. */
export function isTooDeep(text: string): boolean {
  return isNestedDeeper(text, deepestNesting)
}

const tooDeep = `a message is nested deeper than ${deepestNesting} levels and was left out`

function deliverOne(message: unknown, listener: TransportListener, during: RpcRequest | undefined): boolean {
  if (!isRecord(message)) {
    listener.garbage(`it is JSON, but no message: ${quote(JSON.stringify(message))}`)
    return false
  }
  listener.message(message, during)
  return during !== undefined && !('method' in message) && message['id'] === during.id
}

/**
 * What cannot be read may still say whose answer it was meant to be: at its beginning, or at its end. Says which request
 * is lost with it.
 */
export function tellGarbage(
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

/** The beginning of what was read, on one line. */
export function quote(text: string, characters = quotedCharacters): string {
  const start = text.slice(0, characters).replaceAll(/[\s\p{Cc}]+/gu, ' ')
  return start.length < text.length ? `${start}…` : start
}
