/**
 * Stores the text that a model is writing in a file of the session. The text becomes an entry of the thread when it is
 * complete. If the hub is killed before that, the next hub finds the received part here.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

export interface PartialEntry {
  readonly key: string
  readonly type: 'text' | 'thinking'
  readonly at: string
  readonly model: string
  readonly provider: string
  readonly text: string
}

export interface PartialText extends Disposable {
  /** Returns when the operating system has it. `text` continues the text of the last call with this key. */
  add(entry: PartialEntry): void
  /** Everything is in the thread. */
  clear(): void
}

/** A program of the session may be able to put a link or a pipe in the place of the file. */
const { O_WRONLY, O_RDONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
/** More than any model writes in one answer. */
const mostBytes = 16 * 1024 * 1024

const lineSchema = z.object({
  key: z.string(),
  type: z.enum(['text', 'thinking']),
  at: z.string(),
  model: z.string(),
  provider: z.string(),
  text: z.string(),
})

export function openPartialText(directory: string): PartialText {
  let file: number | undefined
  return {
    add(entry) {
      file ??= openSync(pathIn(directory), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
      writeSync(file, `${JSON.stringify(entry)}\n`)
    },
    clear() {
      if (file !== undefined) ftruncateSync(file, 0)
    },
    [Symbol.dispose]() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/** The text that an earlier hub received and did not store. Throws if the file is there and cannot be read. */
export function readPartialText(directory: string): readonly PartialEntry[] {
  const found = new Map<string, PartialEntry>()
  for (const line of textIn(directory).split('\n')) {
    const entry = parse(line)
    if (!entry) continue
    found.set(entry.key, { ...entry, text: (found.get(entry.key)?.text ?? '') + entry.text })
  }
  return [...found.values()]
}

export function removePartialText(directory: string): void {
  rmSync(pathIn(directory), { force: true, recursive: true })
}

function textIn(directory: string): string {
  let file: number
  try {
    file = openSync(pathIn(directory), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // There is none, or it is a link, which the hub did not make.
    if (code === 'ENOENT' || code === 'ELOOP') return ''
    throw error
  }
  try {
    const found = fstatSync(file)
    if (!found.isFile()) return ''
    const bytes = Buffer.alloc(Math.min(found.size, mostBytes))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(file)
  }
}

/** The last line may be cut. */
function parse(line: string): PartialEntry | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

function pathIn(directory: string): string {
  return join(directory, 'answer.jsonl')
}
