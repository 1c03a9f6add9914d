/** The thread of the built-in agent: read once for each turn, and written in the order in which things happen. */
import type { NewEntry } from '../../api/thread.ts'
import type { ThreadWriter } from '../port/thread-writer.ts'
import type { Summary } from './compaction.ts'
import { readProgress, writeProgress } from './compaction.ts'

export interface OpenThread {
  readonly conversation: string
  /** All entries, including those that are not stored yet. */
  readonly entries: readonly NewEntry[]
  /** The model reads it in place of the oldest entries. */
  readonly summary: Summary | undefined
  /** Entries that come while others are being stored are stored together. */
  add(...entries: readonly NewEntry[]): void
  draft: (draft: Parameters<ThreadWriter['draft']>[1]) => void
  compact(summary: Summary): Promise<void>
  /** Resolves when everything is stored. */
  stored(): Promise<void>
}

export async function openThread(writer: ThreadWriter, conversation: string): Promise<OpenThread> {
  const entries: NewEntry[] = [...(await writer.read(conversation))]
  let summary = readProgress(await writer.progress())
  const pending: NewEntry[] = []
  let storing: Promise<void> | undefined

  async function store(): Promise<void> {
    while (pending.length > 0) await writer.append(conversation, pending.splice(0))
    storing = undefined
  }

  return {
    conversation,
    entries,
    get summary() {
      return summary
    },
    add(...more) {
      entries.push(...more)
      pending.push(...more)
      storing ??= store()
      // `stored` reports the failure.
      storing.catch(() => {})
    },
    draft: (draft) => writer.draft(conversation, draft),
    async compact(next) {
      await writer.append(conversation, [], { readTo: writeProgress(next) })
      summary = next
    },
    stored: () => storing ?? Promise.resolve(),
  }
}
