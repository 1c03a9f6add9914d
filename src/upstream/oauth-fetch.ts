/**
 * HTTP for logins. The upstream and its authorization server choose the addresses. So each address is checked when the
 * socket connects, regardless of earlier lookups, and answers are limited in size and time.
 */
import { lookup as lookUpName } from 'node:dns'
import { request as requestHttp } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { HubError } from '../base/hub-error.ts'
import { whyTooHeavy } from '../base/json-weight.ts'
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import type { Zone } from '../base/address-zone.ts'
import { fartherOf, zoneOf } from '../base/address-zone.ts'
import { isWebAddress } from '../base/web-address.ts'

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>
type Lookup = NonNullable<RequestOptions['lookup']>

export interface OAuthFetchOptions {
  /** The URL of the upstream as a person wrote it, and the zone of the address that answered there. */
  readonly upstream: string
  readonly zone: Zone
  /** Aborts every request. */
  readonly signal: AbortSignal
  readonly lookup?: Lookup
  readonly limits?: { readonly bytes: number; readonly ms: number }
}

/** Of a JSON answer. Metadata and tokens have a few dozen. */
const mostValues = 10_000
/** In characters. A token that names the groups of its person is longer than other texts. */
const longestToken = 64 * 1024
const defaultLimits = { bytes: 1024 * 1024, ms: 10_000 }

/** Redirects are returned, not followed: the SDK follows those within an origin by calling this function again. */
export function createOAuthFetch(options: OAuthFetchOptions): OAuthFetch {
  const { zone, signal, lookup = lookUpName, limits = defaultLimits } = options
  const ownHost = new URL(options.upstream).hostname

  function isAllowed(address: string, host: string): boolean {
    const found = zoneOf(address)
    // The name of a private upstream must not resolve to another zone later: another server would speak for it.
    return host === ownHost ? found === zone : fartherOf(found, zone) === found
  }

  function checkedLookup(url: URL): Lookup {
    return (host, how, done) =>
      lookup(host, { ...how, all: true }, (error, found) => {
        if (error) return done(error, '')
        const all = Array.isArray(found) ? found : []
        const allowed = all.filter(({ address }) => isAllowed(address, url.hostname))
        const [first] = allowed
        if (!first) return done(forbidden(url), '')
        if (how.all) done(null, allowed)
        else done(null, first.address, first.family)
      })
  }

  function forbidden(url: URL): HubError {
    return new HubError(
      'forbidden',
      `the hub does not connect to ${url.origin} for an upstream at ${ownHost}: ${why(url)}`,
    )
  }

  function why({ hostname }: URL): string {
    return hostname === ownHost
      ? 'the name now resolves to another kind of address than before'
      : 'its address is more private than that of the upstream'
  }

  return async (address, init) => {
    const request = new Request(address, init)
    const url = new URL(request.url)
    if (!isWebAddress(url.href)) {
      throw new HubError('forbidden', `a login uses http:// and https:// only, not ${url.protocol}`)
    }
    if (!isReturnable(url.href)) throw new TooLongToReturn('An address of a login')
    const literal = url.hostname.replace(/^\[|\]$/g, '')
    // A socket calls lookup for names only, so a literal address is checked here.
    if (isIP(literal) !== 0 && !isAllowed(literal, url.hostname)) throw forbidden(url)
    const body = Buffer.from(await request.arrayBuffer())
    const timeout = AbortSignal.timeout(limits.ms)
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(url, {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' },
      agent: false,
      lookup: checkedLookup(url),
      signal: AbortSignal.any([timeout, signal]),
    })
    try {
      const response = await responseTo(sent, body)
      return toResponse(response, await bodyOf(response, url, limits.bytes))
    } catch (error) {
      if (!timeout.aborted && !signal.aborted) throw error
      throw new HubError('unavailable', `${url.origin} did not answer within ${limits.ms / 1000} seconds`)
    } finally {
      sent.destroy()
    }
  }
}

function responseTo(sent: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject)
    sent.end(body)
  })
}

async function bodyOf(response: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new HubError('unavailable', `${url.origin} answered with more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  assertParsable(body, url)
  return body
}

/** The SDK parses and checks the answer in one go, and sends back its texts: tokens, ids, scopes, addresses. */
function assertParsable(body: Buffer, url: URL): void {
  const text = body.toString('utf8')
  // Only JSON is parsed. A page of HTML may have any number of commas.
  if (!/^\s*[[{]/.test(text)) return
  const why = whyTooHeavy(body, mostValues)
  if (why !== undefined) {
    throw new HubError('unavailable', `${url.origin} sent an answer that the hub cannot read, because ${why}`)
  }
  assertReturnable(text)
}

function assertReturnable(text: string): void {
  try {
    JSON.parse(text, (key, value: unknown) => {
      const isShort = isReturnable(key) && (typeof value === 'object' || isReturnable(value, longestToken))
      if (!isShort) throw new TooLongToReturn(`"${key.slice(0, 40)}" in an answer to a login`, longestToken)
      return undefined
    })
  } catch (error) {
    // The SDK says what is wrong with the JSON.
    if (!(error instanceof SyntaxError)) throw error
  }
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, body: Buffer): Response {
  const hasBody = ![204, 205, 304].includes(statusCode)
  const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Response(hasBody ? new Uint8Array(body) : null, { status: statusCode, headers: texts })
}
