/** The answer of a connector tool as text. */
import { errorCode, isRecord, RpcError } from '../mcp/mcp.ts'

export function textOf(result: object): { readonly text: string; readonly isError: boolean } {
  const { content, structuredContent, isError, resultType } = result as Readonly<Record<string, unknown>>
  if (resultType === 'input_required') throw broken('It asks its caller for input, which an action cannot give.')
  const texts = Array.isArray(content) ? content.flatMap(textIn) : []
  const text =
    texts.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : texts.join('\n')
  if (text === '' && isError !== true) throw broken('It answered without any text.')
  return { text: text || 'It failed, and does not say why.', isError: isError === true }
}

function textIn(block: unknown): readonly string[] {
  if (!isRecord(block)) return []
  const { type, text, resource, uri } = block
  if (type === 'text' && typeof text === 'string') return [text]
  if (type === 'resource' && isRecord(resource) && typeof resource['text'] === 'string') return [resource['text']]
  return type === 'resource_link' && typeof uri === 'string' ? [uri] : []
}

function broken(reason: string): RpcError {
  return new RpcError(errorCode.internal, reason)
}
