/**
 * Copies Claude Code's own transcript into the thread. The place up to which it was read is stored with the entries, so
 * the next hub continues there. `/clear` begins another conversation in another file.
 */
import type { FSWatcher } from 'node:fs'
import { watch } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import type { NewEntry } from '../../api/thread.ts'
import { createPace } from '../../base/pace.ts'
import { createSerial } from '../../base/serial.ts'
import { tooHeavyEntry } from '../port/read-lines.ts'
import type { ThreadWriter } from '../port/thread-writer.ts'
import type { TranscriptFiles } from '../port/transcript-file.ts'
import { newReading } from './read-message.ts'
import type { TranscriptState } from './transcript-line.ts'
import { readTranscriptLine, transcriptStateSchema } from './transcript-line.ts'

const heldToolSchema = z.object({
  tool: z.string(),
  arguments: z.looseObject({ agent_tool: z.string() }),
})
export type HeldTool = z.output<typeof heldToolSchema>

const placeSchema = z.object({
  path: z.string(),
  conversation: z.string(),
  offset: z.number(),
  state: transcriptStateSchema,
  /** The calls that wait for a person, by their id. */
  held: z.record(z.string(), heldToolSchema).default({}),
})
type Place = z.output<typeof placeSchema>

export interface Transcript extends Disposable {
  /** `undefined` until the file is known. */
  readonly state: TranscriptState | undefined
  /** Reads this file from now on, after the rest of the file before. */
  follow(conversation: string, path: string): void
  /** Reads the new lines. */
  read(): Promise<void>
  /** Remembers a call that waits for a person, or forgets it. Resolves when that is stored, or cannot be. */
  hold(call: string, tool: HeldTool | undefined): Promise<void>
}

export interface TranscriptOptions {
  readonly thread: ThreadWriter
  readonly files: TranscriptFiles
  /** The calls that waited for a person when an earlier hub ended. */
  readonly onHeldBefore: (held: Readonly<Record<string, HeldTool>>) => void
  /** `ran`: the calls whose tool has run. */
  readonly onRead: (read: { readonly entries: readonly NewEntry[]; readonly ran: readonly string[] }) => void
}

/** A watcher may miss a change, and a file that does not exist yet cannot be watched. */
const lookEveryMs = 1_000
/** The id becomes an argument of Claude Code when the conversation is resumed, so it must not look like a flag. */
const idPattern = /^[A-Za-z0-9][\w-]{0,99}$/

export function openTranscript({ thread, files, onRead, onHeldBefore }: TranscriptOptions): Transcript {
  const oneByOne = createSerial()
  const pace = createPace()
  let place: Place | undefined
  let watcher: FSWatcher | undefined
  let watched: string | undefined
  let isClosed = false
  let isReadWaiting = false

  async function restore(): Promise<void> {
    const stored = await thread.progress()
    place ??= stored === undefined ? undefined : placeSchema.safeParse(JSON.parse(stored)).data
    if (!place) return
    onRead({ entries: [], ran: [] })
    onHeldBefore(place.held)
  }

  async function store(next: Place, entries: readonly NewEntry[], ran: readonly string[]): Promise<void> {
    await thread.append(next.conversation, entries, { readTo: JSON.stringify(next) })
    place = next
    onRead({ entries, ran })
  }

  async function readRest(): Promise<void> {
    while (place && !isClosed) {
      const found = await files.read(place.path, place.offset)
      if (!found) return
      let { state } = place
      const entries: NewEntry[] = []
      const ran: string[] = []
      for (const [index, line] of found.lines.entries()) {
        const startedAt = performance.now()
        const leftOut = tooHeavyEntry(line, `${place.offset}:${index}`)
        const read = leftOut ? { state, entries: [leftOut], ran: [] } : readTranscriptLine(line, state)
        state = read.state
        entries.push(...read.entries)
        ran.push(...read.ran)
        await pace(startedAt)
        if (isClosed) return
      }
      const next = { ...place, offset: found.end, state }
      if (entries.length > 0) await store(next, entries, ran)
      // A place without new entries is not stored, so the next hub reads these lines again.
      else place = next
      watchFile(next.path)
    }
  }

  /** After a failure, such as a full disk, the next look tries again. */
  async function read(): Promise<void> {
    // One that has not begun will read everything.
    if (isReadWaiting) return
    isReadWaiting = true
    await oneByOne(() => {
      isReadWaiting = false
      return readRest()
    }).catch(() => {})
  }

  function watchFile(path: string): void {
    if (watched === path || isClosed) return
    watcher?.close()
    watched = path
    try {
      watcher = watch(path, { persistent: false }, () => void read()).on('error', () => watcher?.close())
    } catch {
      // There may be too many watchers. Then only the timer looks.
    }
  }

  const restored = oneByOne(restore).catch(() => {})
  void restored.then(read)
  const timer = setInterval(() => void read(), lookEveryMs)
  timer.unref()

  return {
    get state() {
      return place?.state
    },
    follow(conversation, path) {
      // A command of the agent can send the same messages as a hook.
      if (!idPattern.test(conversation) || basename(path) !== `${conversation}.jsonl`) return
      void oneByOne(async () => {
        if (place?.path === path || !(await files.mayFollow(path))) return
        await readRest()
        const state: TranscriptState = { reading: newReading, turn: 'none' }
        // Stored without entries: this session takes over the thread of a conversation that an earlier session had.
        await store({ path, conversation, offset: 0, state, held: {} }, [], [])
      }).catch(() => {})
    },
    read,
    hold(call, tool) {
      return oneByOne(async () => {
        if (!place) return
        const { [call]: _, ...others } = place.held
        await store({ ...place, held: tool ? { ...others, [call]: tool } : others }, [], [])
      }).catch(() => {})
    },
    [Symbol.dispose]() {
      isClosed = true
      clearInterval(timer)
      watcher?.close()
    },
  }
}
