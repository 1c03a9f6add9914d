/** Reads the JSON-RPC messages of one HTTP response, which is JSON or a stream. */
import { eventsIn, isMessage } from '../base/event-stream.ts'
import { isRecord } from '../base/is-record.ts'
import { ClientError } from './client-error.ts'
import type { RpcFault } from './client-error.ts'
import type { BodyReader, HttpAnswer } from './transport.ts'

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: RpcFault
}

/** Closes the response when its reader stops reading. Closing is how 2026-07-28 cancels a request over HTTP. */
export async function* messagesOf(answer: HttpAnswer): AsyncGenerator<Message, void> {
  const type = answer.headers.get('content-type') ?? ''
  const reader = answer.body?.getReader()
  try {
    if (answer.status !== 200) throw refusal(answer.status, reader ? await textOf(reader) : '')
    if (!reader) throw new ClientError({ is: 'broken' }, 'the answer is empty')
    if (type.startsWith('text/event-stream')) yield* streamed(reader)
    else if (type.startsWith('application/json')) yield toMessage(await textOf(reader))
    else
      throw new ClientError(
        { is: 'broken' },
        `the answer has ${type ? `the content type ${type}` : 'no content type'}, which is not MCP`,
      )
  } catch (error) {
    throw error instanceof ClientError ? error : brokenBy(error)
  } finally {
    // Cancelling fails for a body that has ended or broken off. That is fine.
    await reader?.cancel().catch(() => {})
  }
}

async function* streamed(reader: BodyReader): AsyncGenerator<Message, void> {
  for await (const event of eventsIn(chunksOf(reader))) if (isMessage(event)) yield toMessage(event.data)
}

async function textOf(reader: BodyReader): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunksOf(reader)) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

async function* chunksOf(reader: BodyReader): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    if (value) yield value
  }
}

function brokenBy(cause: unknown): ClientError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ClientError({ is: 'broken' }, why, { cause })
}

function refusal(status: number, body: string): ClientError {
  const error = errorIn(body)
  return new ClientError({ is: 'refused', status, ...(error && { error }) }, error?.message ?? `HTTP ${status}`)
}

/** A proxy in front of the hub may answer with a page instead of JSON-RPC. */
function errorIn(body: string): RpcFault | undefined {
  try {
    return toMessage(body).error
  } catch {
    return undefined
  }
}

function toMessage(text: string): Message {
  const message = parsed(text)
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') {
    throw new ClientError({ is: 'broken' }, 'the answer is not a JSON-RPC message')
  }
  const { id, method, params, result, error } = message
  return {
    ...(id !== undefined && { id }),
    ...(typeof method === 'string' && { method }),
    ...(isRecord(params) && { params }),
    ...(isRecord(result) && { result }),
    ...(isRecord(error) && { error: toFault(error) }),
  }
}

function toFault({ code, message, data }: Readonly<Record<string, unknown>>): RpcFault {
  return { code: Number(code), message: String(message), ...(data !== undefined && { data }) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
