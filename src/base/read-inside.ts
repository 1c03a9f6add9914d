/** Reads a file of a folder that an agent may write. No link on the way is followed, and no pipe or device is read. */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { type Folder, openInsideSync } from './open-inside.ts'

export type ReadInside =
  | { readonly is: 'content'; readonly bytes: Buffer }
  | { readonly is: 'too-large'; readonly size: number }
  /** A link is on the way, or there is no such file. */
  | { readonly is: 'elsewhere' }
  | { readonly is: 'unreadable' }

export function readInside(root: Folder, path: string, mostBytes: number): ReadInside {
  let opened: number | undefined
  try {
    opened = openInsideSync(root, path)
    const stat = fstatSync(opened)
    if (!stat.isFile()) return { is: 'unreadable' }
    if (stat.size > mostBytes) return { is: 'too-large', size: stat.size }
    const bytes = Buffer.allocUnsafe(stat.size)
    let length = 0
    while (length < bytes.length) {
      const count = readSync(opened, bytes, length, bytes.length - length, null)
      if (count === 0) break
      length += count
    }
    return { is: 'content', bytes: bytes.subarray(0, length) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return { is: ['ELOOP', 'ENOENT', 'ENOTDIR'].includes(String(code)) ? 'elsewhere' : 'unreadable' }
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}
