/**
 * A journal as asciicast v3, which asciinema plays (https://docs.asciinema.org/manual/asciicast/v3/). An export: JSON
 * holds text alone, so that bytes that are no text are lost in it, and the journal stays the record.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { constants } from 'node:os'
import { finished } from 'node:stream/promises'
import type { Exit } from './holder/frames.ts'
import type { JournalEntry } from './holder/journal-files.ts'
import { listSegments } from './holder/journal-files.ts'
import { readIndex, readJournal } from './journal.ts'

/** What is known of the output beside the journal, which has gaps where the disk was full. */
export interface Printed {
  /** Where it ends. */
  readonly end: number
  readonly exit?: Exit | undefined
}

export interface Recording {
  readonly path: string
  readonly bytes: number
}

const sliceBytes = 64 * 1024
const kinds = ['begin', 'output', 'resize', 'exit'] as const
type Timed = Extract<JournalEntry, { is: (typeof kinds)[number] }>

/** Takes as much memory for a long recording as for a short one. */
export async function exportRecording(journal: string, path: string, printed: Printed): Promise<Recording> {
  const file = createWriteStream(path, { mode: 0o600 })
  try {
    for (const line of linesOf(journal, printed)) if (!file.write(line)) await once(file, 'drain')
    file.end()
    await finished(file)
  } catch (error) {
    file.destroy()
    await rm(path, { force: true })
    throw error
  }
  return { path, bytes: file.bytesWritten }
}

function* linesOf(journal: string, { end: printedTo, exit }: Printed): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** What a line's interval is counted from. In whole milliseconds: rounded ones would add up. */
  let clock: number | undefined
  let size = { cols: 0, rows: 0 }
  let offset = 0
  let lastAt = 0

  function event(at: number, code: string, data: string): string {
    const interval = Math.max(0, at - clock!)
    clock = clock! + interval
    return `${JSON.stringify([interval / 1000, code, data])}\n`
  }

  /** A character that is cut here is not completed by what comes behind. */
  function* cut(at: number): Generator<string> {
    const rest = decoder.decode()
    if (rest !== '') yield event(at, 'o', rest)
  }

  function* gap(at: number, bytes: number): Generator<string> {
    yield* cut(at)
    yield event(at, 'm', `${bytes} bytes of output are missing here`)
  }

  for (const [entry, next] of inPairs(timedEntries(journal))) {
    if (entry.is === 'begin' && clock === undefined) {
      clock = entry.at
      size = { cols: entry.cols, rows: entry.rows }
      const term = { ...size, type: 'xterm-256color' }
      yield `${JSON.stringify({ version: 3, term, timestamp: Math.floor(entry.at / 1000) })}\n`
    }
    if (clock === undefined) continue
    if ('cols' in entry && (entry.cols !== size.cols || entry.rows !== size.rows)) {
      size = { cols: entry.cols, rows: entry.rows }
      yield event(entry.at, 'r', `${size.cols}x${size.rows}`)
    }
    const end = next?.offset ?? Number.POSITIVE_INFINITY
    while (offset < end) {
      const slice = readJournal(journal, offset, Math.min(sliceBytes, end - offset))
      if (slice.bytes.length === 0 || slice.offset >= end) break
      if (slice.offset > offset) yield* gap(entry.at, slice.offset - offset)
      const bytes = slice.bytes.subarray(0, end - slice.offset)
      offset = slice.offset + bytes.length
      const text = decoder.decode(bytes, { stream: true })
      if (text !== '') yield event(entry.at, 'o', text)
    }
    lastAt = entry.at
  }
  if (clock === undefined) return
  if (offset < printedTo) yield* gap(lastAt, printedTo - offset)
  if (!exit) return
  yield* cut(lastAt)
  yield event(lastAt, 'x', String(exitStatus(exit)))
}

/** As a shell would put it. */
function exitStatus({ code, signal }: Exit): number {
  return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)
}

function* timedEntries(journal: string): Generator<Timed> {
  for (const start of listSegments(journal)) yield* readIndex(journal, start, kinds)
}

/** Each with the one behind it. */
function* inPairs<Item>(items: Iterable<Item>): Generator<readonly [Item, Item | undefined]> {
  let last: { readonly item: Item } | undefined
  for (const item of items) {
    if (last) yield [last.item, item]
    last = { item }
  }
  if (last) yield [last.item, undefined]
}
