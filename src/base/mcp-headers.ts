/** The headers in which 2026-07-28 repeats parts of a request's body: what goes into them, and how it is written. */
import { isRecord } from './is-record.ts'

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

/** What `Mcp-Name` repeats of a request, where it repeats anything. */
export function namedField(method: string, params: Params | undefined): NamedField | undefined {
  const field = nameFields.get(method)
  const value = field === undefined ? undefined : params?.[field]
  return field !== undefined && typeof value === 'string' ? { field, value } : undefined
}

export interface MarkedParam {
  /** `Mcp-Param-…` */
  readonly header: string
  /** Where it is among the arguments. */
  readonly path: readonly string[]
}

/** The arguments that a tool's schema marks with `x-mcp-header`, to be repeated as well. */
export function markedParams(schema: unknown, path: readonly string[] = []): readonly MarkedParam[] {
  if (!isRecord(schema)) return []
  const name = schema['x-mcp-header']
  const own = typeof name === 'string' ? [{ header: `Mcp-Param-${name}`, path }] : []
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  return [...own, ...Object.entries(properties).flatMap(([key, property]) => markedParams(property, [...path, key]))]
}

/** What 2026-07-28 forbids in the marks of a schema, in words. Whose tool it is must not be called over HTTP. */
export function faultInMarks(schema: unknown): string | undefined {
  const names = new Set<string>()
  for (const { mark, type } of marksIn(schema)) {
    if (typeof mark !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(mark)) return 'is no name of a header'
    if (type !== 'string' && type !== 'integer' && type !== 'boolean') return 'marks no string, integer or boolean'
    if (names.has(mark.toLowerCase())) return 'is there twice'
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

/** `undefined` where there is nothing that a header could repeat. */
export function valueAt(args: unknown, path: readonly string[]): string | number | boolean | undefined {
  const value = path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), args)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** Values that are no plain ASCII travel as `=?base64?…?=`, and so do those that could be taken for it. */
export function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

const base64 = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/

/** `undefined` where it is not well written. */
export function decodeHeader(value: string): string | undefined {
  const trimmed = value.trim()
  if (!trimmed.startsWith('=?base64?') || !trimmed.endsWith('?=')) return trimmed
  const encoded = base64.exec(trimmed)?.[1]
  if (encoded === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
}
