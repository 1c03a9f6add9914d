/**
 * The sessions this hub has at hand: each with its terminal, what it is doing now and its socket. It follows them until
 * they end, and wakes the terminals of ended ones for those who want to read them.
 */
import type { Activity } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Terminal, Terminals } from '../terminal/terminal.ts'
import type { SessionBook } from './session-book.ts'
import { sessionUri } from './session-book.ts'
import { endingOf } from './session-life.ts'
import type { SessionRecord } from './session-store.ts'
import { throttle } from './throttle.ts'

export interface ActivityWatch extends Disposable {
  readonly current: Activity
  /** What the agent itself says. */
  signal(report: AgentReport): void
}

export interface AgentReport {
  readonly is: 'working' | 'waiting' | 'idle'
  readonly reason?: string | undefined
}

export interface SessionSocket {
  readonly path: string
  close(): Promise<void>
}

export interface RunningOptions {
  readonly book: SessionBook
  readonly terminals: Terminals
  readonly notices: Notices
  readonly log: Log
  readonly watchActivity: (
    record: SessionRecord,
    terminal: Terminal,
    onChange: (activity: Activity) => void,
  ) => ActivityWatch
  readonly openSocket: (record: SessionRecord, holderPid: number) => Promise<SessionSocket>
  /** Once for each change. */
  readonly onActivity: (record: SessionRecord, activity: Activity) => void
  /** After its end was stored. */
  readonly onEnded: (record: SessionRecord) => Promise<void>
}

export interface RunningSessions extends AsyncDisposable {
  readonly size: number
  /** From here on until it ends. `socket`: already open. */
  follow(record: SessionRecord, terminal: Terminal, socket?: SessionSocket): Promise<void>
  /** Also of a session that has ended. Throws where there is none. */
  terminalOf(record: SessionRecord): Promise<Terminal>
  activityOf(record: SessionRecord): Activity
  /** Called whenever its activity changes. Returns the way to stop. */
  onActivity(id: string, listener: () => void): () => void
  report(id: string, report: AgentReport): void
  /** A living one, as it is stored now. */
  recordOf(id: string): SessionRecord | undefined
  /** Its record was changed. */
  note(record: SessionRecord): void
  /** If it is just ending: when that is stored. */
  settled(id: string): Promise<void>
  pidOf(id: string): number | undefined
  socketPathOf(id: string): string | undefined
  /** Lets go of a terminal, so that it can be removed. */
  forget(id: string): void
  /** Lets go of terminals of ended sessions that nobody has read for a while. */
  sweep(): void
}

interface Followed {
  /** As it is stored now. */
  record: SessionRecord
  readonly terminal: Terminal
  readonly watch: ActivityWatch
  socket: SessionSocket | undefined
  stopListening: () => void
}

/** Screens and logs change all the time; those who follow them read anew at most so often. */
const noticeEveryMs = 50
const keepWokenMs = 120_000

export function createRunningSessions(options: RunningOptions): RunningSessions {
  const { book, terminals, notices, log, watchActivity, openSocket, onActivity, onEnded } = options
  const followed = new Map<string, Followed>()
  const woken = new Map<string, { readonly terminal: Promise<Terminal>; usedAt: number }>()
  const listeners = new Map<string, Set<() => void>>()
  const ending = new Map<string, Promise<void>>()

  async function follow(record: SessionRecord, terminal: Terminal, socket?: SessionSocket): Promise<void> {
    const { id, name } = record
    const watch = watchActivity(record, terminal, (activity) => {
      book.tell(record)
      onActivity(record, activity)
      for (const listener of listeners.get(id) ?? []) listener()
    })
    const session: Followed = { record, terminal, watch, socket, stopListening: () => {} }
    followed.set(id, session)
    const tellReaders = throttle(noticeEveryMs, () => {
      for (const part of ['screen', 'log'] as const) {
        notices.resourceChanged(sessionUri(id, part))
        notices.resourceChanged(sessionUri(name, part))
      }
    })
    let { size } = record
    let fault: string | undefined
    const look = () => {
      tellReaders()
      if (terminal.fault !== fault) {
        fault = terminal.fault
        void book.change(id, () => ({ lastMessage: fault }))
      }
      if (terminal.size.cols !== size.cols || terminal.size.rows !== size.rows) {
        size = terminal.size
        void book.change(id, () => ({ size: { ...terminal.size } }))
      }
      if (terminal.life.is !== 'running') void endOnce(session)
    }
    session.stopListening = terminal.onChange(look)
    if (terminal.life.is === 'running' && !socket) session.socket = await openSocketOf(record, terminal.life.holderPid)
    look()
  }

  /** A session without its socket is better than none. */
  async function openSocketOf(record: SessionRecord, holderPid: number): Promise<SessionSocket | undefined> {
    try {
      return await openSocket(record, holderPid)
    } catch (error) {
      log.warn({ session: record.name, error: messageOf(error) }, 'a session has no MCP socket')
      return undefined
    }
  }

  async function endOnce(session: Followed): Promise<void> {
    const { id } = session.record
    if (!followed.delete(id)) return
    const ended = end(session)
    ending.set(id, ended)
    await ended.catch((error: unknown) => log.error({ session: id, error }, 'the end of a session could not be stored'))
    ending.delete(id)
  }

  async function end({ record: { id }, terminal, watch, socket, stopListening }: Followed): Promise<void> {
    stopListening()
    watch[Symbol.dispose]()
    woken.set(id, { terminal: Promise.resolve(terminal), usedAt: performance.now() })
    const now = new Date().toISOString()
    const ended = await book.change(id, (record) => ({ ...endingOf(terminal.life, record), endedAt: now }))
    for (const listener of listeners.get(id) ?? []) listener()
    await socket?.close()
    if (ended) await onEnded(ended)
  }

  async function wake(record: SessionRecord): Promise<Terminal> {
    const terminal = record.status === 'queued' ? undefined : await terminals.adopt(record.id)
    if (terminal) return terminal
    const why = record.status === 'queued' ? 'it has not started yet' : 'it never had one, or its files are gone'
    throw new HubError('unavailable', `The session "${record.name}" has no terminal: ${why}.`)
  }

  return {
    get size() {
      return followed.size
    },
    follow,
    terminalOf(record) {
      const live = followed.get(record.id)
      if (live) return Promise.resolve(live.terminal)
      const known = woken.get(record.id)
      if (known) {
        known.usedAt = performance.now()
        return known.terminal
      }
      const terminal = wake(record)
      woken.set(record.id, { terminal, usedAt: performance.now() })
      terminal.catch(() => woken.delete(record.id))
      return terminal
    },
    activityOf(record) {
      const live = followed.get(record.id)
      if (live) return live.watch.current
      const since = record.endedAt ?? record.updatedAt
      return isOver(record.status)
        ? { is: 'idle', since, source: 'exit', confidence: 1 }
        : { is: 'unknown', since, source: 'none', confidence: 0 }
    },
    onActivity(id, listener) {
      const known = listeners.get(id) ?? new Set()
      listeners.set(id, known.add(listener))
      return () => {
        known.delete(listener)
        if (known.size === 0) listeners.delete(id)
      }
    },
    recordOf: (id) => followed.get(id)?.record,
    note(record) {
      const session = followed.get(record.id)
      if (session) session.record = record
    },
    async settled(id) {
      await ending.get(id)
    },
    report: (id, report) => followed.get(id)?.watch.signal(report),
    socketPathOf: (id) => followed.get(id)?.socket?.path,
    pidOf(id) {
      const life = followed.get(id)?.terminal.life
      return life?.is === 'running' ? life.pid : undefined
    },
    forget(id) {
      void woken.get(id)?.terminal.then((terminal) => terminal.release())
      woken.delete(id)
    },
    sweep() {
      const before = performance.now() - keepWokenMs
      for (const [id, { usedAt }] of woken) if (usedAt < before) this.forget(id)
    },
    async [Symbol.asyncDispose]() {
      for (const { terminal, watch, socket, stopListening } of followed.values()) {
        stopListening()
        watch[Symbol.dispose]()
        await socket?.close()
        terminal.release()
      }
      followed.clear()
      for (const id of woken.keys()) this.forget(id)
    },
  }
}
