/** One HTTP request on its own socket, sent exactly as the test writes it, without a client library in between. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** A hub, or a proxy in front of it. */
export interface Target {
  readonly port: number
  readonly token: string
}

export interface RequestSpec {
  readonly method?: string
  readonly path?: string
  /** Added to the default headers. `undefined` removes a default header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** A value that is neither text nor bytes is sent as JSON. */
  readonly body?: unknown
  /** `null` sends no token. */
  readonly token?: string | null
  /** Disconnects without notice, before or during the answer. */
  readonly signal?: AbortSignal
  /** The source address. Every address of 127.0.0.0/8 is this machine. */
  readonly from?: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text parsed as JSON, if it is JSON. */
  readonly body: unknown
}

export async function exchange(target: Target, spec: RequestSpec): Promise<Answer> {
  const response = await begin(target, spec)
  const text = Buffer.concat(await response.toArray()).toString('utf8')
  // A slow request is answered on a stream. The last message is the answer.
  const answer = response.headers['content-type'] === 'text/event-stream' ? text.split('data: ').at(-1)! : text
  return { status: response.statusCode ?? 0, headers: response.headers, text, body: parse(answer) }
}

/** Resolves with the head of the answer. The body follows. */
export function begin(target: Target, spec: RequestSpec): Promise<IncomingMessage> {
  const { method = 'POST', path = '/mcp', headers, body, token, signal, from } = spec
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
    // If the connection breaks after the answer has begun, the reader of the answer gets the error.
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
