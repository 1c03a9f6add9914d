/**
 * The running sessions of this hub, each with its run and its socket. It follows them until they end, and reopens the
 * runs of ended sessions for readers.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PendingApprovals } from '../api/approval.ts'
import type { Activity, AgentReport, Governed, Question } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Run } from '../drivers/drivers.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { ActivityRecorder } from './activity-recorder.ts'
import type { PendingCalls } from './pending-approvals.ts'
import type { SessionGits } from './session-git.ts'
import type { SessionRegistry } from './session-registry.ts'
import { sessionUri } from './session-registry.ts'
import type { SessionEnds } from './session-ends.ts'
import type { EndedStatus } from './run-outcome.ts'
import { endOf } from './run-outcome.ts'
import { createSessionListeners } from './session-listeners.ts'
import { agentOfProgram } from './agent-of-command.ts'
import { governedOf, governedUnseen } from './governed.ts'
import type { ProjectWatch } from './project-watch.ts'
import type { KnownAgent, SessionRuns } from './session-runs.ts'
import type { SessionRecord } from './session-store.ts'
import { throttle } from './throttle.ts'
import { createInFlight } from './in-flight.ts'
import { createReopenedRuns } from './reopened-runs.ts'

export interface SessionSocket {
  readonly path: string
  close(): Promise<void>
}

export interface RunningOptions {
  readonly registry: SessionRegistry
  readonly ends: Pick<SessionEnds, 'note'>
  readonly runs: SessionRuns
  readonly gits: Pick<SessionGits, 'follow' | 'end'>
  readonly notices: Notices
  readonly log: Log
  readonly openSocket: (record: SessionRecord, holderPid: number) => Promise<SessionSocket>
  readonly activityRecorder: ActivityRecorder
  readonly pending: PendingCalls
}

export interface RunningSessions extends AsyncDisposable {
  readonly size: number
  /**
   * Runs `start`, which starts or looks for a session. Callers of `runOf` wait until it is done. An agent may ask for
   * its tools meanwhile, so the record counts as known.
   */
  whileStarting<Result>(record: SessionRecord, start: () => Promise<Result>): Promise<Result>
  /** Resolves when no start of the session is in progress. */
  started(id: string): Promise<void>
  /** Remembers a stop request that could not be stored. However the session then ends, it counts as stopped. */
  noteStopAsked(id: string): void
  /** Runs `stop`. The session is over when `stop` is done, not when the first of its processes has exited. */
  whileStopping(id: string, stop: () => Promise<void>): Promise<void>
  /** Follows the session until it ends. `socket`: if it is already open. */
  follow(record: SessionRecord, run: Run, socket?: SessionSocket): Promise<void>
  /** Also for an ended session. Throws if there is no run. */
  runOf(record: SessionRecord): Promise<Run>
  activityOf(record: SessionRecord): Activity
  /** As `Run.terminalActivity`. */
  terminalActivityOf(id: string): Activity | undefined
  /** Called when calls of the session's agent start or stop waiting for a person. */
  notePending(id: string, pending: PendingApprovals): void
  /** Calls the listener when the activity or the record changes. Returns a function that stops it. */
  onChange(id: string, listener: () => void): () => void
  /** False if the session has ended, or takes no reports. */
  report(id: string, report: AgentReport): Promise<boolean>
  /** The run of a session that this hub follows. */
  liveRunOf(id: string): Promise<Run | undefined>
  /** The stored records of all running sessions. */
  records(): readonly SessionRecord[]
  /** The stored record of a running session. */
  recordOf(id: string): SessionRecord | undefined
  /** The stored record of a session that starts, runs or is being read. */
  knownRecordOf(id: string): SessionRecord | undefined
  /** Takes over a changed record. */
  note(record: SessionRecord): void
  /** If the session is ending, resolves when its end is stored. */
  settled(id: string): Promise<void>
  pidOf(id: string): number | undefined
  /** Whether the policy covers the agent of a living session, and the question that it asks. */
  agentOf(record: SessionRecord): { readonly governed: Governed | undefined; readonly question: Question | undefined }
  /** There is something new about the project of a session. */
  noteProject(id: string): void
  socketPathOf(id: string): string | undefined
  /** Closes a run, so that its files can be removed. */
  forget(id: string): Promise<void>
  /** Closes runs of ended sessions without recent readers, and retries ends that could not be stored. */
  sweep(): void
}

interface Followed {
  /** The stored record. */
  record: SessionRecord
  readonly run: Run
  readonly agent: KnownAgent
  readonly project: ProjectWatch | undefined
  socket: SessionSocket | undefined
  /** Looks at the run for changes. */
  look: () => void
  stopListening: () => void
}

const firstLookMs = 2_000
/** Screens and logs change all the time. Subscribers get a notice at most this often. */
const noticeEveryMs = 50

export function createRunningSessions(options: RunningOptions): RunningSessions {
  const { registry, ends, runs, gits, notices, log, openSocket, activityRecorder, pending } = options
  const followed = new Map<string, Followed>()
  /** What changed while an earlier change was being stored, by session. */
  const unkept = new Map<string, Partial<SessionRecord>>()
  const reopened = createReopenedRuns(runs)
  const listeners = createSessionListeners()
  const starting = createInFlight()
  const startingRecords = new Map<string, SessionRecord>()
  const stopping = createInFlight()
  const ending = createInFlight()
  /** Sessions with a stop request that could not be stored. */
  const stopAsked = new Set<string>()
  /** Ends that are not stored yet. */
  const unstored = new Map<string, { readonly status: EndedStatus; readonly endedAt: string }>()

  async function follow(record: SessionRecord, run: Run, socket?: SessionSocket): Promise<void> {
    const session: Followed = {
      record,
      run,
      agent: runs.agentOf(record),
      project: runs.projectOf(record),
      socket,
      look: () => {},
      stopListening: () => {},
    }
    followed.set(record.id, session)
    gits.follow(record)
    const look = lookAt(session)
    session.look = look
    session.stopListening = run.onChange(look)
    const firstLook = session.project?.lookOrLog()
    const { status } = run
    if (status.is === 'running' && status.holderPid !== undefined && !socket) {
      await openSocketOf(session, status.holderPid)
    }
    look()
    // Those who start a session learn at once what is known. A slow disk does not hold it up.
    if (firstLook) await Promise.race([firstLook, sleep(firstLookMs, undefined, { ref: false })])
  }

  function lookAt(session: Followed): () => void {
    const { run, record } = session
    const { id, name } = record
    const notifyReaders = throttle(noticeEveryMs, () => {
      for (const part of ['screen', 'log'] as const) {
        notices.resourceChanged(sessionUri(id, part))
        notices.resourceChanged(sessionUri(name, part))
      }
    })
    let { size, conversation } = record
    let fault: string | undefined
    let activity: Pick<Activity, 'is' | 'reason'> = record.activity ?? { is: 'unknown' }
    let inTerminal = run.terminalActivity?.is
    let governed = governedIn(session)
    return () => {
      const { status, terminal, activity: current } = run
      if (terminal) notifyReaders()
      session.project?.refresh()
      if (run.fault !== fault) {
        fault = run.fault
        keep(id, { lastMessage: fault })
      }
      if (terminal && (terminal.size.cols !== size.cols || terminal.size.rows !== size.rows)) {
        size = { ...terminal.size }
        keep(id, { size })
      }
      if (run.conversation !== undefined && run.conversation !== conversation?.id) {
        conversation = { id: run.conversation }
        keep(id, { conversation })
      }
      if (current.is !== activity.is || current.reason !== activity.reason) {
        // A turn begins or ends: the agent may read its settings again, or has written some.
        if (current.is !== activity.is) void session.project?.lookOrLog()
        activity = current
        void activityRecorder.keep(id, current)
        listeners.notify(id)
      }
      if (run.terminalActivity?.is !== inTerminal) {
        inTerminal = run.terminalActivity?.is
        listeners.notify(id)
      }
      const nowGoverned = governedIn(session)
      if (nowGoverned?.is !== governed?.is || nowGoverned?.reason !== governed?.reason) {
        governed = nowGoverned
        registry.notify(session.record)
      }
      if (status.is !== 'running') void end(session, status)
    }
  }

  function governedIn({ record, run, agent, project }: Followed): Governed | undefined {
    const { foreground } = run
    const agentInTerminal = foreground
      ?.map(agentOfProgram)
      .find((found) => found !== undefined && found !== agent.agent)
    return governedOf({
      ...agent,
      // The command of an adopted pane is what ran there at that time.
      ...(record.backend === 'tmux' && foreground && { agentOfCommand: undefined }),
      gate: run.governed,
      agentInTerminal,
      project: project?.found,
    })
  }

  function activityOf(record: SessionRecord): Activity {
    const since = record.endedAt ?? record.updatedAt
    const live = followed.get(record.id)
    if (!live && isOver(record.status)) return { is: 'idle', since, source: 'exit', confidence: 1 }
    const shown = live ? live.run.activity : record.activity
    return pending.activityOf(record.id) ?? shown ?? { is: 'unknown', since, source: 'none', confidence: 0 }
  }

  /** A failure to store is only logged: on a full disk the session must keep running. */
  function keep(id: string, patch: Partial<SessionRecord>): void {
    // A program can cause changes at any rate. Those that come while one is being stored are stored together.
    const later = unkept.get(id)
    if (later) return void unkept.set(id, { ...later, ...patch })
    unkept.set(id, {})
    void store(id, patch)
  }

  async function store(id: string, first: Partial<SessionRecord>): Promise<void> {
    for (let patch: Partial<SessionRecord> | undefined = first; patch;) {
      const now: Partial<SessionRecord> = patch
      await registry
        .change(id, () => now)
        .catch((error: unknown) => log.error({ session: id, error }, 'could not store a change of a session'))
      const later = unkept.get(id) ?? {}
      patch = Object.keys(later).length > 0 ? later : undefined
      if (patch) unkept.set(id, {})
    }
    unkept.delete(id)
  }

  /** A session without its socket is better than no session. */
  async function openSocketOf(session: Followed, holderPid: number): Promise<void> {
    const { id, name } = session.record
    try {
      const socket = await openSocket(session.record, holderPid)
      if (followed.get(id) === session) session.socket = socket
      // The session has ended meanwhile.
      else await socket.close()
    } catch (error) {
      log.warn({ session: name, error: messageOf(error) }, 'could not open the MCP socket of a session')
    }
  }

  async function end({ record, run, socket, stopListening }: Followed, status: EndedStatus): Promise<void> {
    const { id } = record
    if (!followed.delete(id)) return
    stopListening()
    reopened.keep(record, run)
    await ending.run(id, async () => {
      await stopping.settled(id)
      await gits.end(id)
      unstored.set(id, { status, endedAt: new Date().toISOString() })
      await closeSocket(id, socket)
      await storeEnd(id)
    })
  }

  async function closeSocket(id: string, socket: SessionSocket | undefined): Promise<void> {
    try {
      await socket?.close()
    } catch (error) {
      log.warn({ session: id, error }, 'could not close the MCP socket of a session')
    }
  }

  /** If storing fails, `settled` and `sweep` retry it. */
  async function storeEnd(id: string): Promise<void> {
    const waiting = unstored.get(id)
    if (!waiting) return
    unstored.delete(id)
    const { status, endedAt } = waiting
    try {
      await ends.note(id, (record) => {
        const isStopAsked = record.isStopAsked || stopAsked.has(id)
        return { ...endOf(status, { ...record, isStopAsked }), endedAt }
      })
      stopAsked.delete(id)
    } catch (error) {
      unstored.set(id, waiting)
      log.error({ session: id, error }, 'could not store the end of a session; the hub will retry')
    }
  }

  async function liveRunOf(id: string): Promise<Run | undefined> {
    if (!followed.has(id)) await starting.settled(id)
    return followed.get(id)?.run
  }

  return {
    get size() {
      return followed.size
    },
    async whileStarting(record, start) {
      const { id } = record
      startingRecords.set(id, record)
      try {
        return await starting.run(id, start)
      } finally {
        startingRecords.delete(id)
      }
    },
    started: (id) => starting.settled(id),
    noteStopAsked: (id) => void stopAsked.add(id),
    whileStopping: (id, stop) => stopping.run(id, stop),
    follow,
    async runOf(record) {
      if (!followed.has(record.id)) await starting.settled(record.id)
      return followed.get(record.id)?.run ?? reopened.get(record)
    },
    activityOf,
    terminalActivityOf: (id) => followed.get(id)?.run.terminalActivity,
    notePending(id, approvals) {
      const session = followed.get(id)
      const wasCovered = pending.countOf(id) > 0
      pending.note(id, approvals)
      listeners.notify(id)
      // A dialog of the agent may have been reported before the approval for it. That is one wait, not two.
      const isWaitingAnyway = session?.run.activity.is === 'waiting'
      if (session && !isWaitingAnyway && wasCovered !== approvals.count > 0) {
        void activityRecorder.report(session.record, activityOf(session.record))
      }
    },
    onChange: (id, listener) => listeners.add(id, listener),
    records: () => [...followed.values()].map(({ record }) => record),
    recordOf: (id) => followed.get(id)?.record,
    knownRecordOf: (id) => followed.get(id)?.record ?? reopened.recordOf(id) ?? startingRecords.get(id),
    note(record) {
      const session = followed.get(record.id)
      if (session) session.record = record
      reopened.note(record)
      listeners.notify(record.id)
    },
    async settled(id) {
      const session = followed.get(id)
      // The status of the run may change before its listeners are called.
      if (session && session.run.status.is !== 'running') await end(session, session.run.status)
      await ending.settled(id)
      if (unstored.has(id)) await ending.run(id, () => storeEnd(id))
    },
    liveRunOf,
    async report(id, report) {
      // The program may report before its start is stored.
      const run = await liveRunOf(id)
      run?.report?.(report)
      return run?.report !== undefined
    },
    socketPathOf: (id) => followed.get(id)?.socket?.path,
    agentOf(record) {
      const session = followed.get(record.id)
      if (session) {
        session.project?.refresh()
        return { governed: governedIn(session), question: session.run.question }
      }
      if (isOver(record.status)) return { governed: undefined, question: undefined }
      return { governed: governedUnseen(record, runs.agentOf(record)), question: undefined }
    },
    noteProject: (id) => followed.get(id)?.look(),
    pidOf(id) {
      const status = followed.get(id)?.run.status
      return status?.is === 'running' ? status.pid : undefined
    },
    forget: (id) => reopened.forget(id),
    sweep() {
      for (const id of unstored.keys()) void ending.run(id, () => storeEnd(id))
      reopened.sweep()
    },
    async [Symbol.asyncDispose]() {
      await starting.allSettled()
      await ending.allSettled()
      const left = [...followed.values()]
      followed.clear()
      for (const { record, run, socket, stopListening } of left) {
        stopListening()
        await closeSocket(record.id, socket)
        run[Symbol.dispose]()
      }
      await reopened.forgetAll()
    },
  }
}
