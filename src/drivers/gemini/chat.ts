/**
 * Copies a growing chat file into the thread. The place is stored with the entries, so the next hub continues there.
 */
import { basename } from 'node:path'
import { z } from 'zod'
import type { NewEntry } from '../../api/thread.ts'
import { createPace } from '../../base/pace.ts'
import { createSerial } from '../../base/serial.ts'
import { tooHeavyEntry } from '../port/read-lines.ts'
import type { ThreadWriter } from '../port/thread-writer.ts'
import type { TranscriptFiles } from '../port/transcript-file.ts'
import { chatStateSchema, endTurn, noTurn, readChatLine } from './chat-line.ts'

const placeSchema = z.object({
  path: z.string(),
  conversation: z.string(),
  offset: z.number(),
  state: chatStateSchema,
})
type Place = z.output<typeof placeSchema>

export interface Chat extends Disposable {
  /** Whether an earlier hub knew the file. */
  readonly restored: Promise<boolean>
  /** Reads this file from now on. A hook says where it is. */
  follow(conversation: string, path: string): void
  /** Reads the new lines, and ends the turn. */
  end(status: 'completed' | 'interrupted'): void
}

const lookEveryMs = 500
/** The file is written a moment after the hook runs. */
const writtenWithinMs = 5_000
/** The id becomes an argument of Gemini CLI when the conversation is resumed, so it must not look like a flag. */
const idPattern = /^[A-Za-z0-9][\w-]{0,99}$/

export function openChat(thread: ThreadWriter, files: TranscriptFiles): Chat {
  const oneByOne = createSerial()
  const pace = createPace()
  let place: Place | undefined
  let isClosed = false

  async function restore(): Promise<boolean> {
    const stored = await thread.progress()
    place = stored === undefined ? undefined : placeSchema.safeParse(JSON.parse(stored)).data
    return place !== undefined
  }

  async function store(next: Place, entries: readonly NewEntry[]): Promise<void> {
    if (entries.length > 0 || next.path !== place?.path) {
      await thread.append(next.conversation, entries, { readTo: JSON.stringify(next) })
    }
    place = next
  }

  async function readRest(): Promise<void> {
    while (place && !isClosed) {
      const found = await files.read(place.path, place.offset)
      if (!found) return
      let { state } = place
      const entries: NewEntry[] = []
      for (const [index, line] of found.lines.entries()) {
        const startedAt = performance.now()
        const leftOut = tooHeavyEntry(line, `${place.offset}:${index}`)
        const read = leftOut ? { state, entries: [leftOut] } : readChatLine(line, state)
        state = read.state
        entries.push(...read.entries)
        await pace(startedAt)
        if (isClosed) return
      }
      await store({ ...place, offset: found.end, state }, entries)
    }
  }

  /** After a failure, such as a full disk, the next look tries again. */
  const read = () => oneByOne(readRest).catch(() => {})
  const restored = oneByOne(restore).catch(() => false)
  const timer = setInterval(() => void read(), lookEveryMs)
  timer.unref()

  return {
    restored,
    follow(conversation, path) {
      // A command of the agent can send the same messages as a hook.
      if (!idPattern.test(conversation) || !basename(path).endsWith(`-${conversation.slice(0, 8)}.jsonl`)) return
      void oneByOne(async () => {
        if (place?.path === path || !(await files.mayFollow(path))) return
        await readRest()
        await store({ path, conversation, offset: 0, state: noTurn }, [])
      }).catch(() => {})
    },
    end(status) {
      void oneByOne(async () => {
        const deadline = performance.now() + writtenWithinMs
        do {
          await readRest()
          // The answer is the last line of the turn, and it was there before the hook ran.
        } while (place?.state.prompt === undefined && performance.now() < deadline && !(await pause()))
        if (!place) return
        const { entries, state } = endTurn(place.state, status, new Date().toISOString())
        await store({ ...place, state }, entries)
      }).catch(() => {})
    },
    [Symbol.dispose]() {
      isClosed = true
      clearInterval(timer)
    },
  }

  async function pause(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs / 5).unref())
    return isClosed
  }
}
