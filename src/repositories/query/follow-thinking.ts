/** Reports each thought of a session once, as soon as the agent has finished it. */
import type { Thread } from '../../api/thread.ts'
import { isNotFound } from '../../base/hub-error.ts'

export interface FollowOptions {
  readonly threads: {
    read(session: string, options: { readonly since?: string; readonly signal: AbortSignal }): Promise<Thread>
    onChange(session: string, listener: () => void): () => void
  }
  readonly session: string
  readonly signal: AbortSignal
  onThought(text: string): void
}

/** Begins at the end of the thread. Disposing of it waits until the last thought is reported. */
export async function followThinking({ threads, session, signal, onThought }: FollowOptions): Promise<AsyncDisposable> {
  let cursor: string | undefined
  let looking: Promise<void> | undefined
  let isChanged = false

  async function next(): Promise<Thread | undefined> {
    try {
      return await threads.read(session, { signal, ...(cursor !== undefined && { since: cursor }) })
    } catch (error) {
      // The session has said nothing yet.
      if (isNotFound(error) || signal.aborted) return undefined
      throw error
    }
  }

  async function look(tell: (text: string) => void): Promise<void> {
    for (let page = await next(); page; page = page.has_more ? await next() : undefined) {
      cursor = page.cursor
      for (const { content } of page.messages) {
        for (const { type, text } of content) if (type === 'thinking') tell(text)
      }
    }
  }

  async function lookAfterChanges(): Promise<void> {
    while (isChanged) {
      isChanged = false
      await look(onThought)
    }
    looking = undefined
  }

  await look(() => {})
  const stop = threads.onChange(session, () => {
    isChanged = true
    // Thoughts that are missed here are in the answer.
    looking ??= lookAfterChanges().catch(() => {})
  })
  return {
    async [Symbol.asyncDispose]() {
      stop()
      await looking
    },
  }
}
