/** One HTTP request on a socket of its own, word for word as the test writes it. No client library smooths anything. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** A hub, or whatever stands before it. */
export interface Target {
  readonly port: number
  readonly token: string
}

export interface Wish {
  readonly method?: string
  readonly path?: string
  /** Added to the usual ones; `undefined` takes a usual one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Anything but text and bytes is sent as JSON. */
  readonly body?: unknown
  /** `null` sends none. */
  readonly token?: string | null
  /** Leaves without a word, whether the answer has begun or not. */
  readonly signal?: AbortSignal
  /** The address it comes from; all of 127.0.0.0/8 is this machine. */
  readonly from?: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as JSON, where it is. */
  readonly body: unknown
}

export async function exchange(target: Target, wish: Wish): Promise<Answer> {
  const response = await begin(target, wish)
  const text = Buffer.concat(await response.toArray()).toString('utf8')
  return { status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) }
}

/** Resolves with the head of the answer; its body is still to come. */
export function begin(target: Target, wish: Wish): Promise<IncomingMessage> {
  const { method = 'POST', path = '/mcp', headers, body, token, signal, from } = wish
  const bytes = body === undefined || Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
  const shown = token === undefined ? target.token : token
  const wanted: Record<string, string | undefined> = {
    authorization: shown === null ? undefined : `Bearer ${shown}`,
    accept: 'application/json, text/event-stream',
    ...(bytes !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(bytes)),
    }),
    ...headers,
  }
  const sent = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    // A connection that breaks after the answer has begun is seen by whoever reads the answer.
    const options = { host: '127.0.0.1', port: target.port, method, path, headers: sent, agent: false as const }
    const sending = request({
      ...options,
      ...(signal && { signal }),
      ...(from !== undefined && { localAddress: from }),
    })
    sending.on('response', resolve).on('error', reject)
    sending.end(bytes)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
