/**
 * In 2026-07-28 a client repeats parts of the body in headers, so that proxies can route without reading the body. A
 * request whose headers and body differ is refused, because a proxy would act on the wrong value.
 */
import { decodeHeader, markedParams, namedField, valueAt } from '../base/mcp-headers.ts'
import type { MarkedParam } from '../base/mcp-headers.ts'
import type { RpcRequest, ToolInfo } from '../mcp/mcp.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import type { HttpRequestContext } from './request-context.ts'

type ReadHeader = HttpRequestContext['header']

export function checkStandardHeaders({ method, params }: RpcRequest, header: ReadHeader): void {
  if (header('mcp-protocol-version') === undefined) throw mismatch('MCP-Protocol-Version is missing')
  if (header('mcp-method') === undefined) throw mismatch('Mcp-Method is missing')
  const named = namedField(method, params)
  if (!named) return
  const { field, value } = named
  const sent = header('mcp-name')
  if (sent === undefined)
    throw mismatch(`Mcp-Name is missing; the body says params.${field} = "${value.slice(0, 100)}"`)
  const decoded = decodeHeader(sent)
  if (decoded === undefined) throw mismatch('Mcp-Name is not valid base64')
  if (decoded !== value) throw mismatch(`Mcp-Name differs from params.${field}`)
}

/** `Mcp-Param-*`, for the arguments that a tool's schema marks with `x-mcp-header`. */
export function checkParamHeaders(tool: ToolInfo, args: unknown, header: ReadHeader): void {
  for (const { header: name, path } of markedParamsOf(tool)) {
    const value = valueAt(args, path)
    if (value === undefined) continue
    const sent = header(name.toLowerCase())
    if (sent === undefined) throw mismatch(`${name} is missing; the body says ${path.join('.')}`)
    const decoded = decodeHeader(sent)
    if (decoded === undefined) throw mismatch(`${name} is not valid base64`)
    const isSame =
      typeof value === 'number' ? decoded.trim() !== '' && Number(decoded) === value : decoded === String(value)
    if (!isSame) throw mismatch(`${name} differs from ${path.join('.')}`)
  }
}

const marked = new WeakMap<ToolInfo, readonly MarkedParam[]>()

function markedParamsOf(tool: ToolInfo): readonly MarkedParam[] {
  let found = marked.get(tool)
  if (!found) marked.set(tool, (found = markedParams(tool.inputSchema)))
  return found
}

function mismatch(what: string): RpcError {
  return new RpcError(errorCode.headerMismatch, `Header mismatch: ${what}.`, { status: 400 })
}
