/**
 * Writes the messages and calls of Codex to the hub's thread. The ids of items stay the same when a thread is resumed,
 * so entries that were written before are ignored.
 */
import { z } from 'zod'
import type { Draft, NewEntry } from '../../api/thread.ts'
import { dropOldest } from '../../base/drop-oldest.ts'
import { jsonSize } from '../../base/json-size.ts'
import { messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { AnswerRoom } from '../port/answer-room.ts'
import type { ThreadWriter } from '../port/thread-writer.ts'
import { grownDraft } from '../port/thread-writer.ts'
import type { ThreadItem } from './thread-items.ts'
import { entriesOfCompleted, entriesOfStarted, readItem } from './thread-items.ts'
import type { Tokens, Turn } from './turns.ts'
import { endOfTurn, isUncertainEnd, tokensSchema, usageBetween } from './turns.ts'

export interface ThreadRecorder {
  /** A thread without earlier turns. */
  begin(thread: string): void
  itemStarted(thread: string, item: ThreadItem): void
  itemCompleted(thread: string, item: ThreadItem): void
  delta(thread: string, delta: Delta): void
  /** The tokens of the whole thread so far. */
  tokens(thread: string, total: Tokens): void
  turnEnded(thread: string, turn: Turn): void
  /** The turns before this hub, or this connection. Without the end of the last, if that is uncertain. */
  history(thread: string, turns: readonly Turn[]): void
}

export interface Delta {
  readonly itemId: string
  readonly type: Draft['type']
  readonly text: string
}

export interface RecorderOptions {
  readonly session: string
  readonly writer: ThreadWriter
  /** What is being written counts as a request that has no answer yet. */
  readonly room: AnswerRoom
  readonly log: Log
}

const progressSchema = z.object({ thread: z.string(), counted: tokensSchema })

/** Viewers see a growing text at most this often. */
const draftEveryMs = 50
/** Texts that Codex never finishes are not kept for ever. */
const mostDrafts = 100
const mostThreads = 2_000
const none: Tokens = { inputTokens: 0, outputTokens: 0 }

export async function createThreadRecorder({ session, writer, room, log }: RecorderOptions): Promise<ThreadRecorder> {
  /** The tokens of all turns whose end was written, and of all turns, by thread. */
  const counted = new Map<string, Tokens>()
  const totals = new Map<string, Tokens>()
  const drafts = new Map<string, Draft & { timer?: NodeJS.Timeout | undefined }>()
  const kept = readProgress(await writer.progress())
  if (kept) counted.set(kept.thread, kept.counted)

  function append(thread: string, entries: readonly NewEntry[]): void {
    if (entries.length === 0) return
    for (const { key } of entries) dropDraft(key)
    const progress = { readTo: JSON.stringify({ thread, counted: counted.get(thread) ?? none }) }
    const inRoom = room.enter(jsonSize(entries))
    writer
      .append(thread, entries, progress)
      .catch((error: unknown) => log.error({ session, error: messageOf(error) }, 'could not write to a thread'))
      .finally(() => inRoom.leave())
  }

  function dropDraft(key: string): void {
    clearTimeout(drafts.get(key)?.timer)
    drafts.delete(key)
  }

  function count(thread: string) {
    const [before, after] = [counted.get(thread) ?? none, totals.get(thread)]
    if (!after) return undefined
    counted.set(thread, after)
    return usageBetween(before, after)
  }

  return {
    begin: (thread) => void counted.set(thread, none),
    itemStarted: (thread, item) => append(thread, entriesOfStarted(item)),
    itemCompleted: (thread, item) => append(thread, entriesOfCompleted(item)),
    delta(thread, { itemId: key, type, text }) {
      const draft = drafts.get(key)
      const next = { key, type, text: grownDraft(draft?.text ?? '', text), timer: draft?.timer }
      drafts.set(key, next)
      const [oldest] = drafts.keys()
      if (drafts.size > mostDrafts && oldest !== undefined) dropDraft(oldest)
      next.timer ??= setTimeout(() => {
        const latest = drafts.get(key)
        if (!latest) return
        latest.timer = undefined
        writer.draft(thread, { key, type, text: latest.text })
      }, draftEveryMs).unref()
    },
    tokens(thread, total) {
      totals.set(thread, total)
      for (const each of [totals, counted]) dropOldest(each, mostThreads)
    },
    turnEnded(thread, turn) {
      const end = endOfTurn(turn, count(thread))
      if (end) append(thread, [end])
    },
    history(thread, turns) {
      const total = totals.get(thread)
      // An earlier session has counted these turns.
      if (!counted.has(thread) && total) counted.set(thread, total)
      const last = turns.findLast(({ status }) => status !== 'inProgress')
      const isIdle = turns.at(-1) === last
      const entries = turns.flatMap((turn) => {
        const items = turn.items.flatMap((value) => readItem(value) ?? [])
        const isUncertain = turn === turns.at(-1) && isUncertainEnd(turn)
        const end = isUncertain ? undefined : endOfTurn(turn, turn === last && isIdle ? count(thread) : undefined)
        return [...items.flatMap(entriesOfCompleted), ...(end ? [end] : [])]
      })
      append(thread, entries)
    },
  }
}

function readProgress(text: string | undefined) {
  if (text === undefined) return undefined
  try {
    return progressSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The thread that an earlier hub wrote to last. */
export async function lastThreadOf(writer: ThreadWriter): Promise<string | undefined> {
  return readProgress(await writer.progress())?.thread
}
