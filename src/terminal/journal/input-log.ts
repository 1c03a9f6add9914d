/** Records the hub's input for a program on pipes, so that a hub that was killed can ask what it had sent. */
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedInput } from './journal-files.ts'
import { inputName } from './journal-files.ts'
import type { JournalLimits } from './journal-writer.ts'

export interface InputLog {
  /** The last recorded number; 0 if there is none. */
  readonly sequence: number
  /** On disk when it returns, also if the process is killed then. False: the disk took nothing of it. */
  record(input: RecordedInput): boolean
}

interface InputFile {
  /** The sequence number of its first line. */
  readonly first: number
  readonly descriptor: number
  size: number
}

/** The newest file always stays, so that the last number is known when the holder is gone. */
export function createInputLog(directory: string, { segmentBytes, maxBytes }: JournalLimits): InputLog {
  const closed: { readonly first: number; readonly size: number }[] = []
  let current: InputFile | undefined
  let sequence = 0

  function fileFor(first: number): InputFile {
    if (current && current.size < segmentBytes) return current
    const next = { first, descriptor: openSync(join(directory, inputName(first)), 'a', 0o600), size: 0 }
    if (current) {
      closeSync(current.descriptor)
      closed.push(current)
      dropOldest()
    }
    return (current = next)
  }

  function dropOldest(): void {
    let total = closed.reduce((sum, { size }) => sum + size, 0)
    while (closed.length > 0 && total > maxBytes - segmentBytes) {
      const { first, size } = closed.shift()!
      rmSync(join(directory, inputName(first)), { force: true })
      total -= size
    }
  }

  return {
    get sequence() {
      return sequence
    },
    record(input) {
      try {
        append(fileFor(input.sequence), Buffer.from(`${JSON.stringify(input)}\n`))
      } catch {
        return false
      }
      ;({ sequence } = input)
      return true
    },
  }
}

/** Writes the whole line or nothing: half a line would look like one that a crash cut off. */
function append(file: InputFile, line: Buffer): void {
  let written = 0
  try {
    while (written < line.length) written += writeSync(file.descriptor, line, written)
  } catch (error) {
    ftruncateSync(file.descriptor, file.size)
    throw error
  }
  file.size += line.length
}
