/** Reads a file below the root, if it is text and not too large to search. */
import { closeSync, fstatSync, readSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { openInsideSync } from '../../base/open-inside.ts'
import type { Folder } from '../../base/open-inside.ts'

/** Larger files are data. They would also make the memory of the indexer unpredictable. */
export const maxFileBytes = 1024 * 1024

export type Skipped = 'too-large' | 'binary' | 'unreadable'

export type FileText = { readonly text: string } | { readonly skipped: Skipped }

export interface ReadFile {
  readonly content: FileText
  /** As it was when it was read. `undefined`: it could not be opened. */
  readonly stat: BigIntStats | undefined
}

export function readTextInside(root: Folder, path: string): ReadFile {
  const read = readInside(root, path, maxFileBytes)
  if (!read) return { content: { skipped: 'unreadable' }, stat: undefined }
  return { content: read.bytes ? textOf(read.bytes) : { skipped: 'too-large' }, stat: read.stat }
}

/** `undefined`: not a regular file below the root, or not readable. Without bytes: it is larger than the limit. */
export function readInside(root: Folder, path: string, maxBytes: number): FileBytes | undefined {
  let opened: number | undefined
  try {
    opened = openInsideSync(root, path)
    const stat = fstatSync(opened, { bigint: true })
    if (!stat.isFile()) return undefined
    if (stat.size > maxBytes) return { stat, bytes: undefined }
    // A file that grows meanwhile is cut here, and read again when its stamp is compared.
    const bytes = Buffer.allocUnsafe(Number(stat.size))
    let length = 0
    while (length < bytes.length) {
      const count = readSync(opened, bytes, length, bytes.length - length, null)
      if (count === 0) break
      length += count
    }
    return { stat, bytes: bytes.subarray(0, length) }
  } catch {
    return undefined
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

export interface FileBytes {
  readonly stat: BigIntStats
  readonly bytes: Buffer | undefined
}

/** Wrong UTF-8 becomes U+FFFD. */
const utf8 = new TextDecoder()

export function textOf(bytes: Buffer): FileText {
  return bytes.includes(0) ? { skipped: 'binary' } : { text: utf8.decode(bytes) }
}
