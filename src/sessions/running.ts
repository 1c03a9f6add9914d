/**
 * The sessions this hub has at hand: each with its terminal, what it is doing now and its socket. It follows them until
 * they end, and wakes the terminals of ended ones for those who want to read them.
 */
import type { Activity } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Terminal, Terminals } from '../terminal/terminal.ts'
import type { NoteActivity } from './note-activity.ts'
import type { SessionBook } from './session-book.ts'
import { sessionUri } from './session-book.ts'
import type { SessionEnds } from './session-ends.ts'
import type { EndedLife } from './session-life.ts'
import { endOf } from './session-life.ts'
import type { SessionRecord } from './session-store.ts'
import { throttle } from './throttle.ts'
import { createUndertakings } from './undertakings.ts'
import { createWokenTerminals } from './woken-terminals.ts'

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
  readonly ends: Pick<SessionEnds, 'note'>
  readonly terminals: Terminals
  readonly notices: Notices
  readonly log: Log
  readonly watchActivity: (
    record: SessionRecord,
    terminal: Terminal,
    onChange: (activity: Activity) => void,
  ) => ActivityWatch
  readonly openSocket: (record: SessionRecord, holderPid: number) => Promise<SessionSocket>
  /** For each change of what it is doing, or of the reason. */
  readonly noteActivity: NoteActivity
}

export interface RunningSessions extends AsyncDisposable {
  readonly size: number
  /** To start a session, or to look for one: who wants its terminal meanwhile waits for that. */
  whileStarting<Result>(id: string, start: () => Promise<Result>): Promise<Result>
  /** When nothing of that kind is under way. */
  begun(id: string): Promise<void>
  /** Somebody wants it gone, which could not be stored: however it then ends, it was stopped. */
  noteStopAsked(id: string): void
  /** To end a session: it is over when that is done, not when the first of its processes has gone. */
  whileStopping(id: string, stop: () => Promise<void>): Promise<void>
  /** From here on until it ends. `socket`: already open. */
  follow(record: SessionRecord, terminal: Terminal, socket?: SessionSocket): Promise<void>
  /** Also of a session that has ended. Throws where there is none. */
  terminalOf(record: SessionRecord): Promise<Terminal>
  activityOf(record: SessionRecord): Activity
  /** Called whenever its activity or its record changes. Returns the way to stop. */
  onChange(id: string, listener: () => void): () => void
  report(id: string, report: AgentReport): void
  /** A living one, as it is stored now. */
  recordOf(id: string): SessionRecord | undefined
  /** One that lives or is read, as it is stored now. */
  knownRecordOf(id: string): SessionRecord | undefined
  /** Its record was changed. */
  note(record: SessionRecord): void
  /** If it is just ending: when that is stored. */
  settled(id: string): Promise<void>
  pidOf(id: string): number | undefined
  socketPathOf(id: string): string | undefined
  /** Lets go of a terminal, so that it can be removed. */
  forget(id: string): Promise<void>
  /** Lets go of terminals of ended sessions that nobody has read for a while, and stores what could not be stored. */
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

export function createRunningSessions(options: RunningOptions): RunningSessions {
  const { book, ends, terminals, notices, log, watchActivity, openSocket, noteActivity } = options
  const followed = new Map<string, Followed>()
  const woken = createWokenTerminals(terminals)
  const listeners = new Map<string, Set<() => void>>()
  const starting = createUndertakings()
  const stopping = createUndertakings()
  const ending = createUndertakings()
  /** Wanted gone, as far as their records do not say so. */
  const stopAsked = new Set<string>()
  /** Ends that are not stored yet. */
  const unstored = new Map<string, { readonly life: EndedLife; readonly endedAt: string }>()

  function tellListeners(id: string): void {
    for (const listener of listeners.get(id) ?? []) listener()
  }

  async function follow(record: SessionRecord, terminal: Terminal, socket?: SessionSocket): Promise<void> {
    const { id } = record
    const watch = watchActivity(record, terminal, (activity) => {
      void noteActivity(id, activity)
      tellListeners(id)
    })
    const session: Followed = { record, terminal, watch, socket, stopListening: () => {} }
    followed.set(id, session)
    const look = lookAt(session)
    session.stopListening = terminal.onChange(look)
    if (terminal.life.is === 'running' && !socket) await openSocketOf(session, terminal.life.holderPid)
    look()
  }

  function lookAt(session: Followed): () => void {
    const { terminal } = session
    const { id, name } = session.record
    const tellReaders = throttle(noticeEveryMs, () => {
      for (const part of ['screen', 'log'] as const) {
        notices.resourceChanged(sessionUri(id, part))
        notices.resourceChanged(sessionUri(name, part))
      }
    })
    let { size } = session.record
    let fault: string | undefined
    return () => {
      tellReaders()
      if (terminal.fault !== fault) {
        fault = terminal.fault
        keep(id, { lastMessage: fault })
      }
      if (terminal.size.cols !== size.cols || terminal.size.rows !== size.rows) {
        size = { ...terminal.size }
        keep(id, { size })
      }
      const { life } = terminal
      if (life.is !== 'running') void end(session, life)
    }
  }

  /** On a full disk, of all times, there is something to note. */
  function keep(id: string, patch: Partial<SessionRecord>): void {
    book.change(id, () => patch).catch((error: unknown) => log.error({ session: id, error }, 'a change is not stored'))
  }

  /** A session without its socket is better than none. */
  async function openSocketOf(session: Followed, holderPid: number): Promise<void> {
    const { id, name } = session.record
    try {
      const socket = await openSocket(session.record, holderPid)
      if (followed.get(id) === session) session.socket = socket
      // It ended meanwhile.
      else await socket.close()
    } catch (error) {
      log.warn({ session: name, error: messageOf(error) }, 'a session has no MCP socket')
    }
  }

  async function end({ record, terminal, watch, socket, stopListening }: Followed, life: EndedLife): Promise<void> {
    const { id } = record
    if (!followed.delete(id)) return
    stopListening()
    watch[Symbol.dispose]()
    woken.keep(record, terminal)
    await ending.run(id, async () => {
      await stopping.settled(id)
      unstored.set(id, { life, endedAt: new Date().toISOString() })
      await closeSocket(id, socket)
      await storeEnd(id)
    })
  }

  async function closeSocket(id: string, socket: SessionSocket | undefined): Promise<void> {
    try {
      await socket?.close()
    } catch (error) {
      log.warn({ session: id, error }, 'the MCP socket of a session could not be closed')
    }
  }

  /** Where that fails it is tried again: by whoever waits for it, and now and then. */
  async function storeEnd(id: string): Promise<void> {
    const waiting = unstored.get(id)
    if (!waiting) return
    unstored.delete(id)
    const { life, endedAt } = waiting
    try {
      await ends.note(id, (record) => {
        const isStopAsked = record.isStopAsked || stopAsked.has(id)
        return { ...endOf(life, { ...record, isStopAsked }), endedAt }
      })
      stopAsked.delete(id)
    } catch (error) {
      unstored.set(id, waiting)
      log.error({ session: id, error }, 'the end of a session could not be stored, and is tried again')
    }
  }

  return {
    get size() {
      return followed.size
    },
    whileStarting: (id, start) => starting.run(id, start),
    begun: (id) => starting.settled(id),
    noteStopAsked: (id) => void stopAsked.add(id),
    whileStopping: (id, stop) => stopping.run(id, stop),
    follow,
    async terminalOf(record) {
      if (!followed.has(record.id)) await starting.settled(record.id)
      return followed.get(record.id)?.terminal ?? woken.get(record)
    },
    activityOf(record) {
      const live = followed.get(record.id)
      if (live) return live.watch.current
      const since = record.endedAt ?? record.updatedAt
      if (isOver(record.status)) return { is: 'idle', since, source: 'exit', confidence: 1 }
      return record.activity ?? { is: 'unknown', since, source: 'none', confidence: 0 }
    },
    onChange(id, listener) {
      const known = listeners.get(id) ?? new Set()
      listeners.set(id, known.add(listener))
      return () => {
        known.delete(listener)
        if (known.size === 0) listeners.delete(id)
      }
    },
    recordOf: (id) => followed.get(id)?.record,
    knownRecordOf: (id) => followed.get(id)?.record ?? woken.recordOf(id),
    note(record) {
      const session = followed.get(record.id)
      if (session) session.record = record
      woken.note(record)
      tellListeners(record.id)
    },
    async settled(id) {
      const session = followed.get(id)
      // Its terminal may tell those who look before those who listen.
      if (session && session.terminal.life.is !== 'running') await end(session, session.terminal.life)
      await ending.settled(id)
      if (unstored.has(id)) await ending.run(id, () => storeEnd(id))
    },
    report: (id, report) => followed.get(id)?.watch.signal(report),
    socketPathOf: (id) => followed.get(id)?.socket?.path,
    pidOf(id) {
      const life = followed.get(id)?.terminal.life
      return life?.is === 'running' ? life.pid : undefined
    },
    forget: (id) => woken.forget(id),
    sweep() {
      for (const id of unstored.keys()) void ending.run(id, () => storeEnd(id))
      woken.sweep()
    },
    async [Symbol.asyncDispose]() {
      await starting.allSettled()
      await ending.allSettled()
      const left = [...followed.values()]
      followed.clear()
      for (const { record, terminal, watch, socket, stopListening } of left) {
        stopListening()
        watch[Symbol.dispose]()
        await closeSocket(record.id, socket)
        terminal.release()
      }
      await woken.forgetAll()
    },
  }
}
