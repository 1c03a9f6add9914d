/** Where a driver writes the conversation of its agent. */
import type { Draft, NewEntry } from '../../api/thread.ts'

export interface ThreadWriter {
  /**
   * Resolves when the entries are stored. The thread ignores entries that it has, so a driver that is not sure may
   * write an entry again. The first entry of a conversation begins a thread, or continues the one of an earlier
   * session.
   */
  append(conversation: string, entries: readonly NewEntry[], progress?: Progress): Promise<void>
  /**
   * Shows a text that is still being written, with everything so far. It is not stored: after a restart of the hub the
   * driver writes it again. The entry with the same key replaces it.
   */
  draft(conversation: string, draft: Draft): void
  /** Everything in the conversation, oldest first, no matter who wrote it. */
  read(conversation: string): Promise<readonly NewEntry[]>
  /** How far the driver has read, as its last `append` said. `undefined`: it has read nothing. */
  progress(): Promise<string | undefined>
  /** Whether the thread has an entry with this key. */
  has(conversation: string, key: string): Promise<boolean>
}

/** So much of a growing text is shown. The finished text is stored whole. */
export const longestDraft = 1024 * 1024

/** The text of a draft, with what the agent has added to it. */
export function grownDraft(before: string, added: string): string {
  const room = longestDraft - before.length
  if (added.length <= room) return before + added
  // A copy, because a slice would keep all of the text in memory.
  return before + Buffer.from(added.slice(0, room), 'utf16le').toString('utf16le')
}

/** Stored together with the entries, so that a driver continues exactly where it stopped. */
export interface Progress {
  /** In the words of the driver, such as the offset in a file. */
  readonly readTo: string
}
