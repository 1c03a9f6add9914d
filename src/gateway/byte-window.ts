/** A part of what a resource holds, counted in bytes over all its contents. */
import { isRecord } from '../mcp/mcp.ts'

export interface Part {
  readonly kind: 'text' | 'base64'
  readonly text?: string
  readonly base64?: string
  readonly uri?: string
  readonly mime?: string
  readonly total_bytes: number
  readonly bytes_returned: number
}

/** Contents that lie outside the window are left out; `maxBytes` 0 is all there is. */
export function cutWindow(contents: readonly unknown[], startOffset: number, maxBytes: number): readonly Part[] {
  const end = maxBytes === 0 ? Number.POSITIVE_INFINITY : startOffset + maxBytes
  let offset = 0
  return contents.flatMap((content): readonly Part[] => {
    if (!isRecord(content)) return []
    const isText = typeof content['text'] === 'string'
    const bytes = isText
      ? Buffer.from(content['text'] as string)
      : Buffer.from(typeof content['blob'] === 'string' ? content['blob'] : '', 'base64')
    const from = Math.max(startOffset - offset, 0)
    const to = Math.min(end - offset, bytes.length)
    offset += bytes.length
    if (to <= from && bytes.length > 0) return []
    const slice = bytes.subarray(from, to)
    const described = {
      ...(typeof content['uri'] === 'string' && { uri: content['uri'] }),
      ...(typeof content['mimeType'] === 'string' && { mime: content['mimeType'] }),
      total_bytes: bytes.length,
      bytes_returned: slice.length,
    }
    return [
      isText
        ? { kind: 'text', text: slice.toString('utf8'), ...described }
        : { kind: 'base64', base64: slice.toString('base64'), ...described },
    ]
  })
}
