/** A part of a resource, counted in bytes over all its contents. Texts are cut between characters. */
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

/** Leaves out contents outside the window. `maxBytes` 0 means no limit. */
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
    const slice = isText ? wholeCharacters(bytes, from, to) : bytes.subarray(from, to)
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

/**
 * As many characters as fit, but at least one. A reader that continues after the returned part gets everything once.
 */
function wholeCharacters(bytes: Buffer, from: number, to: number): Buffer {
  const start = boundaryAfter(bytes, from)
  let end = to
  while (end > start && isInside(bytes, end)) end--
  return bytes.subarray(start, end > start ? end : boundaryAfter(bytes, Math.min(start + 1, bytes.length)))
}

function boundaryAfter(bytes: Buffer, offset: number): number {
  let boundary = offset
  while (isInside(bytes, boundary)) boundary++
  return boundary
}

/** In UTF-8 only the bytes inside a character start with the bits 10. */
function isInside(bytes: Buffer, offset: number): boolean {
  return ((bytes[offset] ?? 0) & 0xc0) === 0x80
}
