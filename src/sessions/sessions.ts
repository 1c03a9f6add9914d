/**
 * Sessions: one run of one agent or command each, with a workspace and a terminal that outlives the hub.
 *
 *   create → workspace → record → token → program in a terminal → prompt → followed until it ends
 */
import { join } from 'node:path'
import type { Activity, Session, SessionStatus } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { Terminal, Terminals } from '../terminal/terminal.ts'
import { adoptSessions } from './adopt-sessions.ts'
import type { AdoptTmux } from './adopt-tmux.ts'
import { createTmuxAdoption } from './adopt-tmux.ts'
import { createBeginning } from './begin.ts'
import type { CreatedSession } from './create-session.ts'
import { createCreation } from './create-session.ts'
import type { SessionSpec } from './draft.ts'
import { createDraft } from './draft.ts'
import type { Equip } from './equip.ts'
import { createEquipping } from './equip.ts'
import type { JobQueue } from './jobs.ts'
import { createJobQueue } from './jobs.ts'
import type { KillSession } from './kill-session.ts'
import { createKill } from './kill-session.ts'
import type { SessionTokens, TemplateSource } from './launch.ts'
import { createLauncher } from './launch.ts'
import { createNewRecord } from './new-record.ts'
import { createActivityNotes } from './note-activity.ts'
import type { AgentReport, RunningOptions } from './running.ts'
import { createRunningSessions } from './running.ts'
import { createSessionBook } from './session-book.ts'
import { createSessionEnds } from './session-ends.ts'
import type { SessionFilter, SessionRecord } from './session-store.ts'
import { createSessionStore } from './session-store.ts'
import type { SessionSubject } from './session-subject.ts'
import { toSubject } from './session-subject.ts'
import { toWire } from './session-wire.ts'
import type { TypeInto } from './type-into.ts'
import { createTypeInto } from './type-into.ts'
import type { UntilBegunOptions } from './until-begun.ts'
import { untilBegun } from './until-begun.ts'

export type { SessionTokens, TemplateSource } from './launch.ts'
export type { Equipment } from './equip.ts'
export { createPeerProvider } from './peer-tools.ts'
export type { AgentReport, SessionSocket } from './running.ts'
export type { SessionRecord } from './session-store.ts'
export { createSessionProvider } from './session-tools.ts'

export interface Sessions extends AsyncDisposable {
  /** Takes up what an earlier hub left: living terminals are followed on, ended ones are noted. */
  restore(): Promise<void>
  create(spec: SessionSpec, signal: AbortSignal): Promise<CreatedSession>
  readonly adopt: AdoptTmux
  /** Puts a one-off command into the queue. */
  enqueue(spec: SessionSpec, priority: number): Promise<SessionRecord>
  /** By name or id. Throws where there is none. */
  find(nameOrId: string): Promise<SessionRecord>
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>
  describe(record: SessionRecord): Session
  update(record: SessionRecord, patch: SessionPatch): Promise<SessionRecord>
  readonly kill: KillSession
  terminalOf(record: SessionRecord): Promise<Terminal>
  readonly type: TypeInto
  /** What the terminal tools need to know of it. */
  subject(nameOrId: string): Promise<SessionSubject>
  /** When an end that is just being noted is noted. */
  statusOf(id: string): Promise<SessionStatus>
  /** The terminal tools that the agent of a session may use, also while its end is told. */
  toolsOf(id: string): readonly string[]
  /** Called whenever its activity or its record changes. Returns the way to stop. */
  onChange(id: string, listener: () => void): () => void
  activityOf(record: SessionRecord): Activity
  /** `undefined`: it is not at hand here. */
  activityView(id: string): ActivityView | undefined
  /** What the agent of a session says of itself. */
  report(id: string, report: AgentReport): void
  isLiving(nameOrId: string): Promise<boolean>
  /** Until its program runs, it is over, or the time is up. */
  untilBegun(record: SessionRecord, options: Pick<UntilBegunOptions, 'timeoutMs' | 'signal'>): Promise<SessionRecord>
  readonly jobs: JobQueue
  /** How many this hub has running. */
  readonly count: number
  /** Frees what nobody has used for a while. */
  sweep(): void
}

export interface ActivityView {
  current(): Activity
  /** Returns the way to stop. */
  onChange(listener: () => void): () => void
}

export type SessionPatch = Partial<Pick<SessionRecord, 'description' | 'labels' | 'terminalTools' | 'terminalSettings'>>

export interface SessionsOptions extends Pick<RunningOptions, 'watchActivity' | 'openSocket'> {
  readonly store: Store
  readonly hubId: string
  readonly events: Pick<EventLog, 'append'>
  readonly notices: Notices
  readonly log: Log
  readonly terminals: Terminals
  readonly templates: TemplateSource
  readonly tokens: SessionTokens
  /** Folders for sessions and for workspaces of their own. */
  readonly directories: { readonly sessions: string; readonly workspaces: string }
  readonly environment: { readonly base: ProgramEnvironment; passedOn(names: readonly string[]): ProgramEnvironment }
  readonly mcpUrl: string
  readonly signalbox: string
  readonly urlOf: (name: string) => string
  readonly defaultTemplate: string
  readonly jobConcurrency: number
  /** A holder that was just being started when the hub died may need so long to be found. */
  readonly lateHolderMs?: number
  readonly equip: Equip
  /** Tools of the agent were switched on or off. */
  readonly onToolsChange: (record: SessionRecord) => void
  /** Once for each change. */
  readonly onActivityChange: (record: SessionRecord, activity: Activity) => void
  /** It is over, and its agent's token with it. */
  readonly onSessionEnded: (record: SessionRecord) => void
}

/** As long as a holder may take to start. */
const defaultLateHolderMs = 15_000

export function createSessions(options: SessionsOptions): Sessions {
  const { store, hubId, events, notices, log, terminals, templates, tokens, directories, urlOf } = options
  const { environment, mcpUrl, signalbox, watchActivity, openSocket, defaultTemplate } = options
  const stopping = new AbortController()
  const rows = createSessionStore(store)
  const book = createSessionBook({ rows, notices, onChange: (record) => running.note(record) })
  const ends = createSessionEnds({
    book,
    tokens,
    events,
    log,
    onEnded: options.onSessionEnded,
    startNextJob: () => jobs.next(),
  })
  const running = createRunningSessions({
    book,
    ends,
    terminals,
    notices,
    log,
    watchActivity,
    openSocket,
    noteActivity: createActivityNotes({ book, events, log, onChange: options.onActivityChange }),
  })
  const launcher = createLauncher({
    book,
    terminals,
    templates,
    tokens,
    directory: directories.sessions,
    environment,
    mcpUrl,
    signalbox,
  })
  const begin = createBeginning({
    book,
    ends,
    launcher,
    templates,
    running,
    events,
    log,
    stopping: stopping.signal,
    openSocket,
  })
  const jobs = createJobQueue({
    rows,
    book,
    hubId,
    limit: options.jobConcurrency,
    launch: (record) => running.whileStarting(record.id, () => begin.launch(record)),
    log,
    stopping: stopping.signal,
  })
  const newRecord = createNewRecord(hubId)
  const draft = createDraft({
    templates,
    launcher,
    newRecord,
    defaultTemplate,
    workspaces: directories.workspaces,
    environment: environment.base,
  })
  const equip = createEquipping({ templates, ends, equip: options.equip })
  const kill = createKill({ book, ends, running, directory: directories.sessions, log })
  const typeInto = createTypeInto({ templates, running })

  function assertHere({ name, hubId: home }: SessionRecord): void {
    if (home !== hubId) throw new HubError('unavailable', `The session "${name}" runs on another hub. Ask that one.`)
  }

  return {
    jobs,
    get count() {
      return running.size
    },
    async restore() {
      const { lateHolderMs = defaultLateHolderMs } = options
      const left = { rows, book, ends, hubId, newRecord, terminals, begin, running, events, log }
      await adoptSessions({ ...left, stopping: stopping.signal, lateHolderMs })
      await jobs.next()
    },
    ...createCreation({ draft, equip, book, running, begin, jobs, events }),
    adopt: createTmuxAdoption({ rows, book, events, begin, running, terminals, environment, newRecord }),
    find: (nameOrId) => book.find(nameOrId),
    list: (filter) => rows.list(filter),
    describe: (record) =>
      toWire(record, {
        activity: running.activityOf(record),
        pid: running.pidOf(record.id),
        socketPath: running.socketPathOf(record.id),
        directory: join(directories.sessions, record.id),
        url: urlOf(record.name),
      }),
    async update(record, patch) {
      assertHere(record)
      const changed = (await book.change(record.id, () => patch)) ?? (await book.find(record.id))
      if (patch.terminalTools) options.onToolsChange(changed)
      return changed
    },
    async kill(record, { remove }) {
      assertHere(record)
      return kill(record, { remove })
    },
    async terminalOf(record) {
      assertHere(record)
      return running.terminalOf(record)
    },
    async type(record, text, typing) {
      assertHere(record)
      return typeInto(record, text, typing)
    },
    async subject(nameOrId) {
      // Each key and each poll of a viewer comes by here, and by its id.
      const record = running.knownRecordOf(nameOrId) ?? (await book.find(nameOrId))
      assertHere(record)
      return toSubject(record, { book, running })
    },
    async statusOf(id) {
      await running.settled(id)
      return (await book.find(id)).status
    },
    toolsOf: (id) => running.knownRecordOf(id)?.terminalTools ?? [],
    onChange: (id, listener) => running.onChange(id, listener),
    activityOf: (record) => running.activityOf(record),
    activityView(id) {
      const record = running.knownRecordOf(id)
      return (
        record && {
          current: () => running.activityOf(running.knownRecordOf(id) ?? record),
          onChange: (listener) => running.onChange(id, listener),
        }
      )
    },
    report: (id, report) => running.report(id, report),
    async isLiving(nameOrId) {
      // Asked with each request of an agent, by id.
      const known = running.recordOf(nameOrId)
      if (known && !isOver(known.status)) return true
      const record = await rows.findNamed(nameOrId)
      return record !== undefined && !isOver(record.status)
    },
    async untilBegun(record, waiting) {
      assertHere(record)
      const { id } = record
      return untilBegun({
        ...waiting,
        find: () => book.find(id),
        onChange: (listener) => running.onChange(id, listener),
      })
    },
    sweep: () => running.sweep(),
    async [Symbol.asyncDispose]() {
      stopping.abort(new HubError('unavailable', 'The hub is stopping.'))
      await running[Symbol.asyncDispose]()
    },
  }
}
