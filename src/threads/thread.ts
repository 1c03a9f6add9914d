/** The interface of threads, for the rest of the hub and for the tools of this folder. */
import type { PruneSource } from '../api/prune.ts'
import type { FormatName, Frame, Thread, ThreadEntry, Usage } from '../api/thread.ts'
import type { EarlierThread, ThreadWriter } from '../drivers/drivers.ts'
import type { Feature } from '../feature/feature.ts'
import type { Seen } from './frames.ts'
import type { NumberedPrompt, ThreadRecord } from './thread-store.ts'

export interface Threads extends Feature {
  writerOf(session: ThreadSession): ThreadWriter
  /** By the id of a thread, or by the name or id of a session, whose newest thread it is. */
  find(threadOrSession: string): Promise<ThreadRecord>
  /** The id of the newest thread of a session. */
  currentOf(sessionId: string): string | undefined
  /** The id that the agent gave the conversation of that thread. */
  conversationOf(sessionId: string): Promise<string | undefined>
  /** The tokens and cost of a session's turns. `undefined`: none were used, or the agent did not report them. */
  usageOf(sessionId: string): Usage | undefined
  /** The first prompt of a thread that is not older than this time. */
  promptAfter(thread: string, at: string): Promise<NumberedPrompt | undefined>
  /** The part after a cursor. Waits for something new if there is nothing. */
  read(threadOrSession: string, options: ReadOptions): Promise<Thread>
  /** The end of the newest thread of a session. With a prompt: the place of this prompt, which is yet to come. */
  placeOf(sessionId: string, prompt?: string): Promise<ThreadPlace>
  /** The first turn that ended after this place, or after its prompt, if it has one. */
  turnAfter(sessionId: string, place: Omit<ThreadPlace, 'cursor'>): Promise<CompletedTurn | undefined>
  /** True if no entry follows this place, or if the last entry is the end of a turn. */
  isQuietAfter(sessionId: string, place: Omit<ThreadPlace, 'cursor'>): Promise<boolean>
  lastPromptOf(sessionId: string): Promise<string | undefined>
  /** Calls the listener when the thread of a session changes. Returns a function that stops it. */
  onChange(sessionId: string, listener: () => void): () => void
  /** A new thread with the same messages, up to the one with the id `at`. No session continues it yet. */
  fork(threadOrSession: string, options: ForkOptions): Promise<Thread>
  /** A new thread from the messages of another provider. No session continues it yet. */
  importThread(
    text: string,
    options: { readonly format: FormatName; readonly label?: string | undefined },
  ): Promise<Thread>
  /** All entries. */
  entriesOf(thread: string): Promise<readonly ThreadEntry[]>
  /**
   * Lets the session continue a thread that no other session has: in this conversation, or in the session's first one.
   */
  attach(thread: string, session: Pick<ThreadSession, 'id' | 'name'>, conversation: string | undefined): Promise<void>
  /** The thread, for another agent. */
  earlier(thread: string): Promise<EarlierThread>
  /** Removes a thread that no session continues. */
  remove(thread: string): Promise<boolean>
  /** The threads that no session continues. */
  readonly prunable: PruneSource
}

export interface ForkOptions {
  readonly at?: string | undefined
  readonly label?: string | undefined
  /** The agent that continues the fork, if it is another one. */
  readonly agent?: string | undefined
}

export interface ThreadSession {
  readonly id: string
  readonly name: string
  /** Who answers, such as `claude`. A conversation is unique among those of one agent. */
  readonly agent: string
}

export interface ThreadPlace {
  /** `undefined`: the session has no thread yet. */
  readonly thread: string | undefined
  readonly seq: number
  /** The time at which this place was the end. */
  readonly at: string
  /** For `read`: what comes after this place. */
  readonly cursor: string
  /** The digest of the prompt whose turn is awaited. Without one, the next turn is awaited. */
  readonly prompt?: string | undefined
}

export interface ReadOptions {
  readonly since?: string | undefined
  readonly limit?: number | undefined
  readonly timeoutMs?: number | undefined
  readonly signal: AbortSignal
}

export interface ThreadPage {
  readonly entries: readonly ThreadEntry[]
  readonly frames: Frame[]
  readonly hasMore: boolean
  /** The position of a reader after this page. */
  readonly seen: Seen
}

export type CompletedTurn = Extract<ThreadEntry, { type: 'complete' }>
