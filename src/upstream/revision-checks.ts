/**
 * Strict mode: checks that an upstream sends the fields its revision requires. Unknown fields, content types, result
 * types and methods are not breaches.
 */
import { plainNumber } from '../base/exact-numbers.ts'
import { faultInMarks } from '../base/mcp-headers.ts'
import type { RpcError as Breach } from '../mcp/mcp.ts'
import { errorCode, isRecord, RpcError } from '../mcp/mcp.ts'
import { cacheFields, contentFields, listShapes, resultShapes } from './result-shapes.ts'
import type { Fields, ListShape } from './result-shapes.ts'

export interface RevisionChecks {
  /** Finds errors in the JSON-RPC envelope of any message. */
  envelope(message: Readonly<Record<string, unknown>>): Breach | undefined
  /** Returns the result unchanged, but without broken list entries. Throws the breach. */
  result(method: string, result: unknown): object
  /** Reports a breach once per connection and sentence. */
  report(sentence: string): void
}

export interface RevisionCheckOptions {
  /** For people: which upstream this is. */
  readonly name: string
  isModern(): boolean
  /** True if 2026-07-28 repeats marked arguments in headers. */
  readonly isHttp: boolean
  readonly onBreach: (sentence: string) => void
}

/** Breach sentences may quote the upstream, so the number that we remember is limited. */
const maxReported = 100

export function createRevisionChecks({ name, isModern, isHttp, onBreach }: RevisionCheckOptions): RevisionChecks {
  const reported = new Set<string>()

  function report(sentence: string): void {
    if (reported.has(sentence) || reported.size >= maxReported) return
    reported.add(sentence)
    onBreach(sentence)
  }

  function breach(what: string): RpcError {
    report(what)
    const advice = 'Set "strict": false on its connector to pass such messages on unchanged.'
    return new RpcError(errorCode.internal, `The upstream "${name}" broke the protocol. ${what} ${advice}`)
  }

  return {
    report,
    envelope(message) {
      const { jsonrpc, id, method, error } = message
      if (jsonrpc !== '2.0') return breach('It sent a message without "jsonrpc": "2.0".')
      const mayBeNull = method === undefined && error !== undefined
      const isId = typeof id === 'string' || typeof id === 'number' || (id === null && mayBeNull)
      if ('id' in message && !isId) return breach('It sent an id that is neither string nor number.')
      if (method !== undefined) return undefined
      if ('result' in message === 'error' in message) return breach('An answer must have either a result or an error.')
      if ('error' in message && !isErrorObject(error)) return breach('An error has no number "code" or no "message".')
      return undefined
    },
    result(method, result) {
      if (!isRecord(result)) throw breach(`The result of ${method} is not an object.`)
      const missing = missingIn(method, result, isModern())
      if (missing !== undefined) throw breach(`The result of ${method} has no ${missing}.`)
      const list = listShapes.get(method)
      if (!list) return result
      return withoutBroken(
        result,
        list,
        (entry) => faultInEntry(list, entry, isHttp && isModern()),
        (entry) => report(`${method} names ${entry}; it is left out.`),
      )
    },
  }
}

function isErrorObject(error: unknown): boolean {
  return isRecord(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string'
}

/** Describes the first required field that is missing. */
function missingIn(method: string, result: Readonly<Record<string, unknown>>, isModern: boolean): string | undefined {
  // Clients must treat a result without resultType as complete (2026-07-28).
  const { resultType } = result
  // A task, a question, or a later type, which has its own fields.
  if (resultType !== undefined && resultType !== 'complete') return undefined
  if (!isModern && isRecord(result['task'])) return undefined
  const shape = resultShapes.get(method)
  if (!shape) return undefined
  const own = missingField(result, isModern && shape.isCached ? { ...shape.fields, ...cacheFields } : shape.fields)
  if (own !== undefined) return own
  const { content } = result
  return method === 'tools/call' && Array.isArray(content) ? missingInContent(content) : undefined
}

/** A phrase that follows the name of the entry. */
function faultInEntry({ list, fields }: ListShape, entry: unknown, hasHeaders: boolean): string | undefined {
  const missing = missingField(entry, fields)
  if (missing !== undefined) return `without ${missing}`
  const mark = hasHeaders && list === 'tools' && isRecord(entry) ? faultInMarks(entry['inputSchema']) : undefined
  return mark === undefined ? undefined : `with an "x-mcp-header" that ${mark}`
}

function missingInContent(content: readonly unknown[]): string | undefined {
  for (const [index, item] of content.entries()) {
    const missing = missingField(item, { type: 'string' }) ?? missingField(item, fieldsOfContent(item))
    if (missing !== undefined) return `${missing} in content[${index}]`
  }
  return undefined
}

function fieldsOfContent(item: unknown): Fields {
  const type = isRecord(item) ? item['type'] : undefined
  return (typeof type === 'string' && contentFields.get(type)) || {}
}

function missingField(value: unknown, fields: Fields): string | undefined {
  const own = isRecord(value) ? value : {}
  for (const name in fields) {
    const kind = fields[name]
    const field = own[name]
    const isThere =
      kind === 'array' ? Array.isArray(field) : kind === 'object' ? isRecord(field) : typeof plainNumber(field) === kind
    if (!isThere) return `${kind} "${name}"`
  }
  return undefined
}

function withoutBroken(
  result: Readonly<Record<string, unknown>>,
  { list, entry }: ListShape,
  faultOf: (one: unknown) => string | undefined,
  onBroken: (words: string) => void,
): object {
  const entries = result[list] as readonly unknown[]
  const sound = entries.filter((one) => {
    const fault = faultOf(one)
    if (fault === undefined) return true
    const name = isRecord(one) && typeof one['name'] === 'string' ? ` "${one['name'].slice(0, 100)}"` : ''
    onBroken(`a ${entry}${name} ${fault}`)
    return false
  })
  return sound.length === entries.length ? result : { ...result, [list]: sound }
}
