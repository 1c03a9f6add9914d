/**
 * Tells people outside that somebody waits for them: a command is run, or a URL is posted to, once for each approval,
 * whichever hub comes first and however often they are restarted. Nobody waits for a hook, and one that fails is a line
 * in the log.
 */
import type { Approval } from '../api/approval.ts'
import type { Log } from '../base/log.ts'
import type { ApprovalRecord } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { toWire } from './approval-wire.ts'
import { postTo } from './post-hook.ts'
import { runCommand } from './run-hook.ts'

export interface Hooks {
  /** A line for the shell. */
  readonly command?: string | undefined
  readonly url?: string | undefined
  /** What the command sees of the environment, besides the approval. */
  readonly environment: Readonly<Record<string, string>>
}

export interface Announcer extends AsyncDisposable {
  /** Returns at once. */
  announce(record: ApprovalRecord): void
  /** What was asked while no hub had the time to tell. */
  announceRest(): Promise<void>
}

export interface AnnouncerOptions {
  readonly hooks: Hooks
  readonly rows: Pick<ApprovalStore, 'claimAnnouncement' | 'listUnannounced'>
  readonly log: Log
  readonly now: () => Date
}

/** A hundred questions at once are no reason to start a hundred programs. */
const mostAtOnce = 16

export function createAnnouncer({ hooks, rows, log, now }: AnnouncerOptions): Announcer {
  const { command, url, environment } = hooks
  const stopping = new AbortController()
  const queue: ApprovalRecord[] = []
  const running = new Set<Promise<void>>()
  const ways: ((approval: Approval) => Promise<void>)[] = []
  if (command !== undefined) ways.push((approval) => runCommand(command, approval, environment, stopping.signal))
  if (url !== undefined) ways.push((approval) => postTo(url, approval, stopping.signal))

  async function tell(record: ApprovalRecord): Promise<void> {
    if (!(await rows.claimAnnouncement(record.id, now().toISOString()))) return
    const outcomes = await Promise.allSettled(ways.map((way) => way(toWire(record))))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  function next(): void {
    const record = running.size < mostAtOnce && !stopping.signal.aborted ? queue.shift() : undefined
    if (!record) return
    const telling = tell(record)
      .catch((error: unknown) => log.warn({ approval: record.id, error }, 'a notify hook failed'))
      .finally(() => {
        running.delete(telling)
        next()
      })
    running.add(telling)
    next()
  }

  function announce(record: ApprovalRecord): void {
    if (ways.length === 0) return
    queue.push(record)
    next()
  }

  return {
    announce,
    async announceRest() {
      if (ways.length === 0) return
      const waiting = new Set(queue.map(({ id }) => id))
      for (const record of await rows.listUnannounced()) if (!waiting.has(record.id)) announce(record)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
