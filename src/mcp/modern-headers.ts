/**
 * The headers that 2026-07-28 makes a client repeat from the body, so that what stands in between can route without
 * reading it. A difference between the two is refused: somebody would act on the wrong one.
 */
import type { Tool } from './provider.ts'
import type { Visit } from './visit.ts'
import type { RpcRequest } from './wire.ts'
import { errorCode, isRecord, RpcError } from './wire.ts'

type ReadHeader = Visit['header']

/** The field of `params` that `Mcp-Name` repeats. */
const nameField = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

export function checkStandardHeaders({ method, params }: RpcRequest, header: ReadHeader): void {
  if (header('mcp-protocol-version') === undefined) throw mismatch('MCP-Protocol-Version is missing')
  if (header('mcp-method') === undefined) throw mismatch('Mcp-Method is missing')
  const field = nameField.get(method)
  const name = field === undefined ? undefined : params?.[field]
  if (typeof name !== 'string') return
  const named = header('mcp-name')
  if (named === undefined)
    throw mismatch(`Mcp-Name is missing; the body says params.${field} = "${name.slice(0, 100)}"`)
  const decoded = decode(named)
  if (decoded === undefined) throw mismatch('Mcp-Name is not valid base64')
  if (decoded !== name) throw mismatch(`Mcp-Name differs from params.${field}`)
}

/** `Mcp-Param-*`, for the arguments that a tool's schema marks with `x-mcp-header`. */
export function checkParamHeaders(tool: Tool, args: unknown, header: ReadHeader): void {
  for (const { headerName, path } of markedParams(tool)) {
    const value = path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), args)
    if (value === undefined || value === null) continue
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue
    const name = `Mcp-Param-${headerName}`
    const sent = header(name.toLowerCase())
    if (sent === undefined) throw mismatch(`${name} is missing; the body says ${path.join('.')}`)
    const decoded = decode(sent)
    if (decoded === undefined) throw mismatch(`${name} is not valid base64`)
    const isSame =
      typeof value === 'number' ? decoded.trim() !== '' && Number(decoded) === value : decoded === String(value)
    if (!isSame) throw mismatch(`${name} differs from ${path.join('.')}`)
  }
}

interface MarkedParam {
  readonly headerName: string
  readonly path: readonly string[]
}

const marked = new WeakMap<Tool, readonly MarkedParam[]>()

function markedParams(tool: Tool): readonly MarkedParam[] {
  let found = marked.get(tool)
  if (!found) marked.set(tool, (found = findMarked(tool.inputSchema, [])))
  return found
}

function findMarked(schema: unknown, path: readonly string[]): MarkedParam[] {
  if (!isRecord(schema)) return []
  const headerName = schema['x-mcp-header']
  const own = typeof headerName === 'string' ? [{ headerName, path }] : []
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  return [...own, ...Object.entries(properties).flatMap(([key, property]) => findMarked(property, [...path, key]))]
}

const base64 = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/

/** Values that are no plain ASCII come as `=?base64?…?=`. */
function decode(value: string): string | undefined {
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

function mismatch(what: string): RpcError {
  return new RpcError(errorCode.headerMismatch, `Header mismatch: ${what}.`, { status: 400 })
}
