/** The HTTP headers in which 2026-07-28 repeats parts of a request's body: their content and their encoding. */
import { isRecord } from './is-record.ts'
import { isReturnable } from './returned-text.ts'

type Params = Readonly<Record<string, unknown>>

/** The field of `params` that `Mcp-Name` repeats. */
const nameFields = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

export interface NamedField {
  readonly field: string
  readonly value: string
}

/** The field of a request that `Mcp-Name` repeats, if any. */
export function namedField(method: string, params: Params | undefined): NamedField | undefined {
  const field = nameFields.get(method)
  const value = field === undefined ? undefined : params?.[field]
  return field !== undefined && typeof value === 'string' ? { field, value } : undefined
}

export interface MarkedParam {
  /** `Mcp-Param-…` */
  readonly header: string
  /** The path to it in the arguments. */
  readonly path: readonly string[]
}

/** The arguments that a tool's schema marks with `x-mcp-header`. Headers repeat these too. */
export function markedParams(schema: unknown, path: readonly string[] = []): readonly MarkedParam[] {
  if (!isRecord(schema)) return []
  const name = schema['x-mcp-header']
  const own = typeof name === 'string' && isReturnable(name) ? [{ header: `Mcp-Param-${name}`, path }] : []
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  return [...own, ...Object.entries(properties).flatMap(([key, property]) => markedParams(property, [...path, key]))]
}

/** Why 2026-07-28 forbids the marks of a schema, in words. A tool with such a schema must not be called over HTTP. */
export function faultInMarks(schema: unknown): string | undefined {
  const names = new Set<string>()
  for (const { mark, type } of marksIn(schema)) {
    if (typeof mark !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(mark)) return 'is not a header name'
    if (type !== 'string' && type !== 'integer' && type !== 'boolean')
      return 'does not mark a string, integer or boolean'
    if (names.has(mark.toLowerCase())) return 'appears twice'
    names.add(mark.toLowerCase())
  }
  return undefined
}

function* marksIn(schema: unknown): Generator<{ readonly mark: unknown; readonly type: unknown }> {
  if (!isRecord(schema)) return
  if ('x-mcp-header' in schema) yield { mark: schema['x-mcp-header'], type: schema['type'] }
  if (isRecord(schema['properties']))
    for (const property of Object.values(schema['properties'])) yield* marksIn(property)
}

/** `undefined` if a header cannot repeat the value. */
export function valueAt(args: unknown, path: readonly string[]): string | number | boolean | undefined {
  const value = path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), args)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** Encodes values that are not plain ASCII as `=?base64?…?=`, and also values that look like that encoding. */
export function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return isPlain ? value : `=?base64?${btoa(String.fromCodePoint(...new TextEncoder().encode(value)))}?=`
}

const base64 = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/

/** `undefined` if the encoding is malformed. */
export function decodeHeader(value: string): string | undefined {
  const trimmed = value.trim()
  if (!trimmed.startsWith('=?base64?') || !trimmed.endsWith('?=')) return trimmed
  const encoded = base64.exec(trimmed)?.[1]
  if (encoded === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(atob(encoded), (byte) => byte.codePointAt(0) ?? 0),
    )
  } catch {
    return undefined
  }
}
