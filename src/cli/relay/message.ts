/** Reads the parts of a message that the relay needs. The text itself is forwarded unchanged. */
import { isRecord } from '../../base/is-record.ts'

export type Id = string | number

export interface Message {
  readonly text: string
  /** The ids of the requests in it: one, none, or those of a batch. */
  readonly ids: readonly Id[]
  /** `undefined` for responses and batches. */
  readonly method: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** The revision that the request names. Only 2026-07-28 and later name it in each request. */
  readonly revision: string | undefined
}

const revisionKey = 'io.modelcontextprotocol/protocolVersion'

/** Returns `undefined` if the line is not a message. */
export function readMessage(line: Buffer): Message | undefined {
  const text = line.toString('utf8')
  const body = parse(text)
  const parts = Array.isArray(body) ? body : [body]
  if (parts.length === 0 || !parts.every(isRecord)) return undefined
  const ids = parts.flatMap(({ id, method }) => (isId(id) && typeof method === 'string' ? [id] : []))
  if (!isRecord(body)) return { text, ids, method: undefined, params: {}, revision: undefined }
  const { method, params } = body
  const meta = isRecord(params) && isRecord(params['_meta']) ? params['_meta'] : {}
  const revision = meta[revisionKey]
  return {
    text,
    ids,
    method: typeof method === 'string' ? method : undefined,
    params: isRecord(params) ? params : {},
    revision: typeof revision === 'string' ? revision : undefined,
  }
}

/** The parts of an answer that the relay needs. */
export interface Answer {
  readonly id: Id | null
  readonly result: Readonly<Record<string, unknown>> | undefined
  readonly error: RpcFailure | undefined
}

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The responses in a text. The text may also be a batch, a notification or not a message. */
export function readAnswers(text: string): readonly Answer[] {
  const body = parse(text)
  return (Array.isArray(body) ? body : [body]).filter(isRecord).flatMap(({ id, method, result, error }) => {
    if (method !== undefined || (result === undefined && error === undefined)) return []
    return [
      {
        id: isId(id) ? id : null,
        result: isRecord(result) ? result : undefined,
        error: isFailure(error) ? error : undefined,
      },
    ]
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number'
}

function isFailure(value: unknown): value is RpcFailure {
  return isRecord(value) && typeof value['code'] === 'number' && typeof value['message'] === 'string'
}
