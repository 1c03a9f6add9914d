/**
 * The text that a model is just writing, in a file of the session. It becomes an entry of the thread when it is whole.
 * If the hub is killed before that, the next hub finds here what had arrived.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
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
  /** Returns when the operating system has it. `text` is what has come since the last call with this key. */
  add(entry: PartialEntry): void
  /** Everything is in the thread. */
  clear(): void
}

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
      file ??= openSync(pathIn(directory), 'a', 0o600)
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

/** What an earlier hub received and did not store. Throws if the file is there and cannot be read. */
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
  rmSync(pathIn(directory), { force: true })
}

function textIn(directory: string): string {
  try {
    return readFileSync(pathIn(directory), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
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
