/** Reads the lines that a program adds to a file. The program names the file, so it may be a pipe or a device. */
import type { FileHandle } from 'node:fs/promises'
import type { NewEntry } from '../../api/thread.ts'
import { whyTooHeavy } from '../../base/json-weight.ts'

export interface Lines {
  readonly lines: readonly string[]
  /** Where to continue reading. */
  readonly end: number
}

const chunkBytes = 1024 * 1024
/** This many bytes without a line ending are skipped, since the line would take too much memory. */
const longestLineBytes = 32 * 1024 * 1024
const newline = 0x0a

/** For the thread: a line that is too much for the hub was left out. `undefined`: it is not. */
export function tooHeavyEntry(line: string, key: string): NewEntry | undefined {
  const why = whyTooHeavy(Buffer.from(line))
  if (why === undefined) return undefined
  const message = `A line of the agent's own record was left out, because it is too much for the hub: ${why}.`
  return { type: 'error', key: `left-out:${key}`, at: new Date().toISOString(), message }
}

/** The next whole lines. `undefined`: there is none yet, or no such file. */
export async function readLines(open: () => Promise<FileHandle>, offset: number): Promise<Lines | undefined> {
  try {
    await using file = await open()
    if (!(await file.stat()).isFile()) return undefined
    const chunks: Buffer[] = []
    for (let at = offset; at - offset < longestLineBytes; at += chunkBytes) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at)
      const bytes = buffer.subarray(0, bytesRead)
      const end = bytes.lastIndexOf(newline)
      if (end >= 0) {
        const text = Buffer.concat([...chunks, bytes.subarray(0, end)]).toString()
        return { lines: text.split('\n'), end: at + end + 1 }
      }
      if (bytesRead < chunkBytes) return undefined
      chunks.push(bytes)
    }
    return { lines: [], end: offset + longestLineBytes }
  } catch (error) {
    // The program creates the file with the first prompt.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
