/**
 * Sessions: one run of one agent or command each, with a workspace and a terminal that outlives the hub.
 *
 *   create → workspace → record → token → program in a terminal → prompt → followed until it ends
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Activity, Session, SessionStatus, TerminalSize } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import type { TerminalSettings } from '../api/terminal-tools.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { Terminal, Terminals } from '../terminal/terminal.ts'
import { adoptSessions } from './adopt-sessions.ts'
import { createBeginning } from './begin.ts'
import { createDraft } from './draft.ts'
import type { JobQueue } from './jobs.ts'
import { createJobQueue } from './jobs.ts'
import type { SessionTokens, TemplateSource } from './launch.ts'
import { createLauncher } from './launch.ts'
import type { Delivery } from './prompt.ts'
import type { AgentReport, RunningOptions } from './running.ts'
import { createRunningSessions } from './running.ts'
import { createSessionBook } from './session-book.ts'
import type { SessionFilter, SessionRecord } from './session-store.ts'
import { createSessionStore } from './session-store.ts'
import { toWire } from './session-wire.ts'
import { stopProgram } from './stop-program.ts'

export type { SessionTokens, TemplateSource } from './launch.ts'
export type { ActivityWatch, AgentReport, SessionSocket } from './running.ts'
export type { SessionRecord } from './session-store.ts'
export { createSessionProvider } from './session-tools.ts'

export interface Sessions extends AsyncDisposable {
  /** Takes up what an earlier hub left: living terminals are followed on, ended ones are noted. */
  restore(): Promise<void>
  create(spec: SessionSpec, signal: AbortSignal): Promise<CreatedSession>
  /** Puts a one-off command into the queue. */
  enqueue(spec: SessionSpec, priority: number): Promise<SessionRecord>
  /** By name or id. Throws where there is none. */
  find(nameOrId: string): Promise<SessionRecord>
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>
  describe(record: SessionRecord): Session
  update(record: SessionRecord, patch: SessionPatch): Promise<SessionRecord>
  /** Ends it; with `remove`, its record and its journal go too. The workspace stays. */
  kill(record: SessionRecord, options: { readonly remove: boolean }): Promise<SessionRecord>
  terminalOf(record: SessionRecord): Promise<Terminal>
  /** What the terminal tools need to know of it. */
  subject(nameOrId: string): Promise<SessionSubject>
  /** When an end that is just being noted is noted. */
  statusOf(id: string): Promise<SessionStatus>
  /** The terminal tools that the agent of a living session may use. */
  toolsOf(id: string): readonly string[]
  activityOf(record: SessionRecord): Activity
  /** `undefined`: nobody watches it, since it has ended or runs elsewhere. */
  activityView(id: string): ActivityView | undefined
  /** What the agent of a session says of itself. */
  report(id: string, report: AgentReport): void
  isLiving(nameOrId: string): Promise<boolean>
  readonly jobs: JobQueue
  /** How many this hub has running. */
  readonly count: number
  /** Frees what nobody has used for a while. */
  sweep(): void
}

export interface SessionSubject {
  readonly id: string
  readonly name: string
  readonly workspacePath: string
  readonly terminal: Terminal
  readonly settings: TerminalSettings
  changeSettings(change: (settings: TerminalSettings) => TerminalSettings): Promise<void>
}

export interface ActivityView {
  current(): Activity
  /** Returns the way to stop. */
  onChange(listener: () => void): () => void
}

export interface SessionSpec {
  readonly name: string
  readonly template?: string | undefined
  readonly prompt?: string | undefined
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly workingDir?: string | undefined
  readonly worktree?: boolean | undefined
  readonly env?: ProgramEnvironment | undefined
  readonly description?: string | undefined
  readonly size?: TerminalSize | undefined
  readonly tools?: readonly string[] | undefined
  readonly labels?: readonly string[] | undefined
  readonly socketName?: string | undefined
}

export interface CreatedSession {
  readonly record: SessionRecord
  /** Only where there was a prompt. */
  readonly prompt: Delivery | undefined
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
  /** Tools of the agent were switched on or off. */
  readonly onToolsChange: (record: SessionRecord) => void
  /** It is over, and its agent's token with it. */
  readonly onSessionEnded: (record: SessionRecord) => void
}

export function createSessions(options: SessionsOptions): Sessions {
  const { store, hubId, events, notices, log, terminals, templates, tokens, directories, urlOf } = options
  const rows = createSessionStore(store)
  const book = createSessionBook({ rows, notices, onChange: (record) => running.note(record) })
  const { environment, mcpUrl, signalbox, watchActivity, openSocket } = options
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
  const running = createRunningSessions({
    book,
    terminals,
    notices,
    log,
    watchActivity,
    openSocket,
    onActivity: ({ id }, activity) =>
      void events.append({ type: 'activity-changed', session: id, payload: activity }).catch(() => {}),
    onEnded,
  })
  const stopping = new AbortController()
  const begin = createBeginning({
    book,
    launcher,
    templates,
    running,
    events,
    stopping: stopping.signal,
    openSocket,
    onEnded,
  })
  const { defaultTemplate, jobConcurrency } = options
  const draft = createDraft({ templates, launcher, hubId, defaultTemplate, workspaces: directories.workspaces })
  const jobs = createJobQueue({ rows, book, hubId, limit: jobConcurrency, launch: begin.launch, log })

  async function onEnded(record: SessionRecord): Promise<void> {
    const { id, tokenId, status, exitCode, exitSignal } = record
    if (tokenId !== undefined) await tokens.revoke(tokenId)
    await events.append({
      type: 'session-ended',
      session: id,
      payload: { status, exit_code: exitCode, signal: exitSignal },
    })
    options.onSessionEnded(record)
    if (record.jobId !== undefined) await jobs.next()
  }

  function assertHere({ name, hubId: home }: SessionRecord): void {
    if (home !== hubId) throw new HubError('unavailable', `The session "${name}" runs on another hub. Ask that one.`)
  }

  return {
    jobs,
    get count() {
      return running.size
    },
    async restore() {
      await adoptSessions({ rows, book, hubId, terminals, running, log, onEnded })
      await jobs.next()
    },
    async create(spec, signal) {
      const record = await draft(spec)
      await book.add(record)
      await events.append({
        type: 'session-created',
        session: record.id,
        payload: { name: record.name, template: record.template, command: record.command },
      })
      const terminal = await begin.launch(record, { env: spec.env, prompt: spec.prompt })
      const prompt = await begin.prompt(record, terminal, spec.prompt, signal)
      if (prompt?.delivered === false) {
        await book.change(record.id, () => ({ lastMessage: `The prompt was not delivered: ${prompt.reason}` }))
      }
      return { record: await book.find(record.id), prompt }
    },
    async enqueue(spec, priority) {
      const record = await jobs.add(await draft(spec), priority)
      await events.append({ type: 'job-queued', session: record.id, payload: { name: record.name, priority } })
      return record
    },
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
      const changed = (await book.change(record.id, () => patch)) ?? record
      if (patch.terminalTools) options.onToolsChange(changed)
      return changed
    },
    async kill(record, { remove }) {
      assertHere(record)
      if (!isOver(record.status)) {
        const asked = (await book.change(record.id, () => ({ isStopAsked: true }))) ?? record
        if (asked.status === 'queued') await jobs.drop(asked)
        else await stopProgram(await running.terminalOf(asked))
        await running.settled(record.id)
      }
      const ended = await book.find(record.id)
      if (remove) {
        running.forget(record.id)
        await book.remove(record)
        await rm(join(directories.sessions, record.id), { recursive: true, force: true })
      }
      return ended
    },
    async terminalOf(record) {
      assertHere(record)
      return running.terminalOf(record)
    },
    async subject(nameOrId) {
      const record = await book.find(nameOrId)
      const { id, name, workspacePath } = record
      assertHere(record)
      return {
        id,
        name,
        workspacePath,
        terminal: await running.terminalOf(record),
        get settings() {
          return (running.recordOf(id) ?? record).terminalSettings
        },
        async changeSettings(change) {
          await book.change(id, ({ terminalSettings }) => ({ terminalSettings: change(terminalSettings) }))
        },
      }
    },
    async statusOf(id) {
      await running.settled(id)
      return (await book.find(id)).status
    },
    toolsOf: (id) => running.recordOf(id)?.terminalTools ?? [],
    activityOf: (record) => running.activityOf(record),
    activityView(id) {
      const record = running.recordOf(id)
      return (
        record && {
          current: () => running.activityOf(running.recordOf(id) ?? record),
          onChange: (listener) => running.onActivity(id, listener),
        }
      )
    },
    report: (id, report) => running.report(id, report),
    async isLiving(nameOrId) {
      const record = await rows.findNamed(nameOrId)
      return record !== undefined && !isOver(record.status)
    },
    sweep: () => running.sweep(),
    async [Symbol.asyncDispose]() {
      stopping.abort(new HubError('unavailable', 'The hub is stopping.'))
      await running[Symbol.asyncDispose]()
    },
  }
}
