/** Output bytes in JSON: UTF-8 text if possible, base64 otherwise. */
import { isUtf8 } from 'node:buffer'

export interface EncodedOutput {
  readonly data: string
  readonly encoding: 'utf8' | 'base64'
  /** How many of the bytes are in `data`: an incomplete character at the end waits for its rest. */
  readonly length: number
}

/** `isLast`: no output follows, so an incomplete character is included. */
export function encodeOutput(bytes: Buffer, { isLast }: { readonly isLast: boolean }): EncodedOutput {
  const whole = bytes.subarray(0, bytes.length - unfinishedBytes(bytes))
  if (isUtf8(whole) && (whole.length === bytes.length || !isLast)) {
    return { data: whole.toString('utf8'), encoding: 'utf8', length: whole.length }
  }
  return { data: bytes.toString('base64'), encoding: 'base64', length: bytes.length }
}

/** How many bytes at the end belong to an incomplete character. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < characterLength(byte) ? back : 0
  }
  return 0
}

/** The first byte determines the length. An invalid first byte counts as one character. */
function characterLength(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}
