/** The interface of sessions, for the rest of the hub and for the tools of this folder. */
import type { PruneSource } from '../api/prune.ts'
import type { Activity, ActivityView, AgentReport, Session, SessionStatus } from '../api/session.ts'
import type { HookMessage, Run, Typed, TypingOptions } from '../drivers/drivers.ts'
import type { Feature } from '../feature/feature.ts'
import type { AdoptTmux } from './adopt-tmux.ts'
import type { CreatedSession, Creation } from './create-session.ts'
import type { SessionSpec } from './draft.ts'
import type { JobQueue } from './jobs.ts'
import type { KillSession } from './kill-session.ts'
import type { ReleaseSession } from './release-session.ts'
import type { SessionFilter, SessionRecord } from './session-store.ts'
import type { SessionSubject } from './session-subject.ts'
import type { UntilStartedOptions } from './until-started.ts'
import type { Worktrees } from './worktrees.ts'

export interface Sessions extends Feature, AsyncDisposable {
  /** Adopts the sessions of an earlier hub: follows the running ones, and records the ends of the others. */
  restore(): Promise<void>
  create(spec: SessionSpec, signal: AbortSignal): Promise<CreatedSession>
  readonly resume: Creation['resume']
  readonly adopt: AdoptTmux
  /** Puts a one-off command or an agent into the queue. */
  enqueue(spec: SessionSpec, priority: number): Promise<SessionRecord>
  /** By name or id. Throws if there is no such session. */
  find(nameOrId: string): Promise<SessionRecord>
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>
  /** Those whose program runs under this hub. */
  running(): readonly SessionRecord[]
  describe(record: SessionRecord): Session
  update(record: SessionRecord, patch: SessionPatch): Promise<SessionRecord>
  readonly kill: KillSession
  /** Releases a program in tmux. The program keeps running there, and the session ends. */
  readonly release: ReleaseSession
  /** The built-in agent of the session continues with another model. */
  useModel(record: SessionRecord, name: string): Promise<SessionRecord>
  /** Also for an ended session. Throws if there is no run. */
  runOf(record: SessionRecord): Promise<Run>
  /** Throws if the session has no terminal to type into. */
  type(record: SessionRecord, text: string, options: TypingOptions): Promise<Typed>
  /** The session as the terminal tools see it. */
  subject(nameOrId: string): Promise<SessionSubject>
  /** If the session is ending, waits until its end is stored. */
  statusOf(id: string): Promise<SessionStatus>
  /** The terminal tools that the agent of a session may use, also while its end is signalled. */
  toolsOf(id: string): readonly string[]
  /** Calls the listener when the activity or the record changes. Returns a function that stops it. */
  onChange(id: string, listener: () => void): () => void
  activityOf(record: SessionRecord): Activity
  /** `undefined`: the session does not run on this hub, and it is not being read. `asSeenBy` the agent: see `Run`. */
  activityView(id: string, asSeenBy?: 'others' | 'agent'): ActivityView | undefined
  /** Takes a report of the agent about its activity. False if the session has ended, or takes no reports. */
  report(id: string, report: AgentReport): Promise<boolean>
  /** Takes a message of a hook of the session's agent, and answers it. Throws if the session takes none. */
  hook(id: string, message: HookMessage, signal: AbortSignal): Promise<object>
  isLiving(nameOrId: string): Promise<boolean>
  /** Waits until the program runs, the session has ended, or the time is up. */
  untilStarted(
    record: SessionRecord,
    options: Pick<UntilStartedOptions, 'timeoutMs' | 'signal'>,
  ): Promise<SessionRecord>
  readonly jobs: JobQueue
  /** The git worktrees that the hub made. */
  readonly worktrees: Worktrees
  readonly prunable: readonly PruneSource[]
  /** The number of running sessions of this hub. */
  readonly count: number
}

export type SessionPatch = Partial<Pick<SessionRecord, 'description' | 'labels' | 'terminalTools' | 'terminalSettings'>>
