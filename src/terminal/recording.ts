/**
 * Exports a journal as asciicast v3, which asciinema plays (https://docs.asciinema.org/manual/asciicast/v3/). JSON
 * contains only text, so the export loses bytes that are not UTF-8. The journal stays the record.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { constants } from 'node:os'
import { finished } from 'node:stream/promises'
import type { Exit, JournalEntry } from './journal/journal-files.ts'
import { listSegments } from './journal/journal-files.ts'
import { readIndex, readJournal } from './journal/journal.ts'

/** Facts about the output that the journal may lack, because a full disk leaves gaps in it. */
export interface Printed {
  /** The end offset of the output. */
  readonly end: number
  readonly exit?: Exit | undefined
}

/** For the header, so that players can show what was recorded. */
export interface RecordingAbout {
  readonly title?: string | undefined
  readonly command?: string | undefined
}

export interface Recording {
  readonly path: string
  readonly bytes: number
}

const sliceBytes = 64 * 1024
const kinds = ['begin', 'output', 'resize', 'exit'] as const
type Timed = Extract<JournalEntry, { is: (typeof kinds)[number] }>

/** Memory use does not depend on the length of the recording. */
export async function exportRecording(
  journal: string,
  path: string,
  printed: Printed,
  about: RecordingAbout = {},
): Promise<Recording> {
  const file = createWriteStream(path, { mode: 0o600 })
  try {
    for (const line of linesOf(journal, printed, about)) if (!file.write(line)) await once(file, 'drain')
    file.end()
    await finished(file)
  } catch (error) {
    file.destroy()
    await rm(path, { force: true })
    throw error
  }
  return { path, bytes: file.bytesWritten }
}

function* linesOf(journal: string, { end: printedTo, exit }: Printed, about: RecordingAbout): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** The time of the last line. In whole milliseconds, since rounding errors would add up. */
  let clock: number | undefined
  let size = { cols: 0, rows: 0 }
  let offset = 0
  let lastAt = 0

  function event(at: number, code: string, data: string): string {
    const interval = Math.max(0, at - clock!)
    clock = clock! + interval
    return `${JSON.stringify([interval / 1000, code, data])}\n`
  }

  /** Ends an incomplete character, which later bytes must not complete. */
  function* flushText(at: number): Generator<string> {
    const rest = decoder.decode()
    if (rest !== '') yield event(at, 'o', rest)
  }

  function* gap(at: number, bytes: number): Generator<string> {
    yield* flushText(at)
    yield event(at, 'm', `${bytes} bytes of output are missing here`)
  }

  for (const [entry, next] of inPairs(timedEntries(journal))) {
    if (entry.is === 'begin' && clock === undefined) {
      clock = entry.at
      size = { cols: entry.cols, rows: entry.rows }
      const term = { ...size, type: 'xterm-256color' }
      yield `${JSON.stringify({ version: 3, term, timestamp: Math.floor(entry.at / 1000), ...about })}\n`
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
  yield* flushText(lastAt)
  yield event(lastAt, 'x', String(exitStatus(exit)))
}

/** The exit status as a shell reports it. */
function exitStatus({ code, signal }: Exit): number {
  return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)
}

function* timedEntries(journal: string): Generator<Timed> {
  for (const start of listSegments(journal)) yield* readIndex(journal, start, kinds)
}

/** Each item with its successor. */
function* inPairs<Item>(items: Iterable<Item>): Generator<readonly [Item, Item | undefined]> {
  let last: { readonly item: Item } | undefined
  for (const item of items) {
    if (last) yield [last.item, item]
    last = { item }
  }
  if (last) yield [last.item, undefined]
}
