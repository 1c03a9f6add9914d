/** Turns an HTTP error status into a sentence that says what to do. */
import { parseExactly } from '../base/exact-numbers.ts'
import { HubError } from '../base/hub-error.ts'
import type { RpcRequest } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { ResponseHeaders } from './http-client.ts'
import { headerText } from './http-client.ts'
import { isTooDeep, quote } from './incoming.ts'

export interface Refusal {
  readonly origin: string
  readonly status: number
  readonly headers: ResponseHeaders
  /** The beginning of the body. */
  readonly text: string
}

/** Messages do not contain the path and query of a URL, which may hold a secret. */
export function refusalError(refusal: Refusal): HubError {
  const { origin, status } = refusal
  return new HubError('unavailable', `The upstream at ${origin} ${sentence(refusal)}`, { data: { status } })
}

function sentence({ status, headers, text }: Refusal): string {
  const demand = headerText(headers, 'www-authenticate')
  const retryAfter = headerText(headers, 'retry-after')
  switch (status) {
    case 401:
      return (
        `says that the token is missing or wrong (401${demand === undefined ? '' : `, WWW-Authenticate: ${quote(demand)}`}). ` +
        // Written in another way, the example would be redacted as a secret.
        'In the "headers" of the connector, give Authorization the value "Bearer ${MY_TOKEN}", and set MY_TOKEN for the hub.'
      )
    case 403:
      return `forbids it (403)${detail(text)}. The token may lack a scope, or the server does not accept requests from this address.`
    case 404:
      return 'has nothing at this path (404). Correct "base_url": it often ends in /mcp or /sse.'
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return `redirects to ${target(headers)} (${status}). If that is right, put it into "base_url": nothing is sent to another origin unasked.`
    case 429:
    case 503:
      return `is busy (${status})${retryAfter === undefined ? '' : `, and asks to retry after ${quote(retryAfter)}`}${detail(text)}.`
    default:
      return `answered with status ${status}${detail(text)}.`
  }
}

function target(headers: ResponseHeaders): string {
  const location = headerText(headers, 'location') ?? ''
  return URL.parse(location)?.origin ?? 'another path'
}

function detail(text: string): string {
  const plain = messageIn(text) ?? (text.trimStart().startsWith('<') ? '' : text.trim())
  return plain === '' ? '' : `: ${quote(plain)}`
}

function messageIn(text: string): string | undefined {
  const error = errorIn(text)
  return typeof error?.['message'] === 'string' ? error['message'] : undefined
}

function errorIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const body = parsed(text)
  const error = isRecord(body) ? body['error'] : undefined
  return isRecord(error) ? error : undefined
}

/** The JSON-RPC error in the body of a refusal. It refuses this request even if it names another id. */
export function refusalAnswer(text: string, request: RpcRequest): object | undefined {
  const body = parsed(text)
  const error = errorIn(text)
  if (!isRecord(body) || typeof error?.['code'] !== 'number') return undefined
  return { ...body, id: request.id }
}

/**
 * Whether the upstream no longer knows the connection. The specification says 404. Many servers that keep connections
 * in memory answer 400 after a restart, with one of two sentences from the SDK's examples.
 */
export function isForgotten(status: number, text: string): boolean {
  if (status === 404) return true
  return status === 400 && /no valid session id|server not initialized|session not found/i.test(messageIn(text) ?? '')
}

function parsed(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : parseExactly(text)
  } catch {
    return undefined
  }
}
