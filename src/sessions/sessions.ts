/**
 * A session is one run of one agent or command, with a workspace. Its driver keeps it alive without the hub.
 *
 *   create → workspace → record → token → run → prompt → followed until it ends
 */
import { join } from 'node:path'
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { PersonsEnvironment } from '../config/config.ts'
import type { Drivers } from '../drivers/drivers.ts'
import { handOvers } from '../drivers/drivers.ts'
import type { EventLog } from '../events/events.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { Turns } from '../gate/gate.ts'
import { createScriptRunner } from '../git/git.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { ConfineProgram, Sandboxes } from '../sandbox/sandbox.ts'
import type { Store } from '../store/store.ts'
import { adoptSessions } from './adopt-sessions.ts'
import { createTmuxAdoption } from './adopt-tmux.ts'
import { createBranches } from './branches.ts'
import { createSessionStarter } from './start-session.ts'
import { createConnectedAgents } from './connected-agents.ts'
import { createCreation } from './create-session.ts'
import { createDeliverPrompt } from './deliver-prompt.ts'
import type { PromptOrigin } from './draft.ts'
import { createDraft } from './draft.ts'
import type { SessionChat, SessionConnectors, SessionPolicies } from './equip.ts'
import { createEquipping } from './equip.ts'
import { createHandOver } from './hand-over.ts'
import { createJobQueue } from './jobs.ts'
import { createLookForConversation } from './kept-conversation.ts'
import { createKill } from './kill-session.ts'
import type { SessionTokens } from './session-tokens.ts'
import type { TemplateSource } from './template-source.ts'
import { createLauncher } from './launch.ts'
import { createNewRecord } from './new-record.ts'
import { noteTurnEnd } from './note-turn-end.ts'
import { createActivityRecorder } from './activity-recorder.ts'
import { createPendingCalls } from './pending-approvals.ts'
import type { RunningOptions } from './running.ts'
import { createPrunable } from './prunable.ts'
import { createProjectWatches } from './project-watch.ts'
import { createRelease } from './release-session.ts'
import { createDraftResumed } from './resume-session.ts'
import { createRunningSessions } from './running.ts'
import type { Sessions } from './session.ts'
import { createSessionRegistry } from './session-registry.ts'
import { createSessionEnds } from './session-ends.ts'
import { createSessionGits } from './session-git.ts'
import type { SessionRunsOptions } from './session-runs.ts'
import { createSessionRuns } from './session-runs.ts'
import type { SessionRecord } from './session-store.ts'
import { createSessionStore } from './session-store.ts'
import { toSubject } from './session-subject.ts'
import { toWire } from './session-wire.ts'
import { untilStarted } from './until-started.ts'
import { createWorktreeStore } from './worktree-store.ts'
import { createWorktrees } from './worktrees.ts'

export type { Sessions } from './session.ts'
export type { SessionTokens } from './session-tokens.ts'
export type { TemplateSource } from './template-source.ts'
export { createFindSession } from './session-lookup.ts'
export type { SessionRecord } from './session-store.ts'
export { createSessionTools } from './session-tools.ts'

export interface SessionsOptions extends Pick<RunningOptions, 'openSocket'> {
  readonly store: Store
  readonly hubId: string
  readonly events: Pick<EventLog, 'append' | 'note' | 'read'>
  readonly notices: Notices
  readonly log: Log
  readonly drivers: Drivers
  readonly templates: TemplateSource
  readonly tokens: SessionTokens
  /** The directories for the files of sessions and for the workspaces that the hub makes. */
  readonly directories: { readonly sessions: string; readonly workspaces: string }
  readonly confineProgram: ConfineProgram
  readonly environment: PersonsEnvironment
  readonly mcpUrl: string
  /** The socket of the hub, for `signalbox` inside a session. */
  readonly hubSocket: string
  readonly isSharedMachine: () => Promise<boolean>
  readonly sandboxes: Sandboxes
  readonly signalbox: string
  readonly urlOf: (name: string) => string
  readonly defaultTemplate: string
  readonly jobConcurrency: number
  /** How long to look for a holder that was starting when the hub died. */
  readonly lateHolderMs?: number
  readonly policies: SessionPolicies
  readonly connectors: SessionConnectors
  readonly chat: SessionChat
  readonly turns: Pick<Turns, 'begin'>
  readonly threads: SessionRunsOptions['threads']
  readonly ownTools: SessionRunsOptions['ownTools']
  readonly signals: SignalSender
}

/** A holder may take this long to start. */
const defaultLateHolderMs = 15_000

export function createSessions(options: SessionsOptions): Sessions {
  const { store, hubId, events, notices, log, drivers, templates, tokens, directories, urlOf, signals } = options
  const { environment, mcpUrl, hubSocket, signalbox, openSocket, defaultTemplate } = options
  const stopping = new AbortController()
  const rows = createSessionStore(store)
  const registry = createSessionRegistry({ rows, notices, onChange: (record) => running.note(record) })
  const agents = createConnectedAgents()
  const lookForConversation = createLookForConversation({ templates, environment })
  const ends = createSessionEnds({
    registry,
    tokens,
    events,
    log,
    lookForConversation,
    onEnded(record) {
      agents.forget(record.id)
      projects.forget(record.id)
      signals.emit('session-ended', { session: record.id })
    },
    startNextJob: () => jobs.next(),
  })
  const pending = createPendingCalls()
  const { threads, ownTools } = options
  const projects = createProjectWatches({
    templates,
    directory: directories.sessions,
    log,
    onChange: (id) => running.noteProject(id),
  })
  const runs = createSessionRuns({
    drivers,
    templates,
    pending,
    agents,
    threads,
    ownTools,
    projects,
    events,
    directory: directories.sessions,
    log,
  })
  const run = createScriptRunner(options.sandboxes)
  const gits = createSessionGits({ run, registry, directory: directories.sessions, log })
  const running = createRunningSessions({
    registry,
    ends,
    runs,
    gits,
    notices,
    log,
    openSocket,
    pending,
    activityRecorder: createActivityRecorder({
      registry,
      events,
      log,
      isCovered: (id) => pending.countOf(id) > 0,
      onChange: ({ id, name }, activity) => signals.emit('session-activity-changed', { session: id, name, activity }),
    }),
  })
  const worktrees = createWorktrees({
    rows: createWorktreeStore(store, hubId),
    sessions: rows,
    templates,
    environment,
    run,
    sandboxes: options.sandboxes,
    confine: options.confineProgram,
    directory: directories.workspaces,
    stopping: stopping.signal,
  })
  const launcher = createLauncher({
    registry,
    runs,
    handOver: createHandOver({ threads, registry, handOvers }),
    templates,
    tokens,
    directory: directories.sessions,
    environment,
    mcpUrl,
    hubSocket,
    isSharedMachine: options.isSharedMachine,
    signalbox,
    sandboxes: options.sandboxes,
    confineProgram: options.confineProgram,
    worktrees,
    gits,
    running,
    signals,
    stopping: stopping.signal,
  })
  const starter = createSessionStarter({ registry, ends, launcher, running, events, log, openSocket })
  const deliver = createDeliverPrompt({ registry, running, turns: options.turns, stopping: stopping.signal })

  /** An earlier hub may have queued the job. */
  async function queuedFrom(job: string): Promise<PromptOrigin | undefined> {
    const [queued] = (await events.read({ session: job, type: 'job-queued', limit: 1 })).events
    return queued?.correlation === undefined ? undefined : { correlation: queued.correlation, event: queued.id }
  }

  const jobs = createJobQueue({
    rows,
    registry,
    hubId,
    limit: options.jobConcurrency,
    async launch(record) {
      const { id, prompt: text } = record
      const run = await running.whileStarting(record, () => starter.launch(record, { prompt: text }))
      if (text !== undefined) await deliver(record, run, { text, from: await queuedFrom(id) })
    },
    log,
    stopping: stopping.signal,
  })
  const newRecord = createNewRecord(hubId)
  const draft = createDraft({
    drivers,
    templates,
    launcher,
    newRecord,
    defaultTemplate,
    workspaces: directories.workspaces,
    environment,
    run,
    worktrees,
  })
  const draftResumed = createDraftResumed({
    drivers,
    templates,
    registry,
    newRecord,
    launcher,
    environment,
    lookForConversation,
    threads,
    worktrees,
  })
  const { policies, connectors, chat } = options
  const equip = createEquipping({ ends, policies, connectors, chat, signals })
  const creation = createCreation({
    draft,
    draftResumed,
    equip,
    registry,
    running,
    starter,
    jobs,
    events,
    deliver,
  })
  const kill = createKill({ registry, ends, running, gits, directory: directories.sessions, log })
  const release = createRelease({ registry, running })

  const branches = createBranches()
  /** The files of another hub may be elsewhere. */
  const branchOf = (record: SessionRecord): string | undefined =>
    record.hubId === hubId
      ? branches.of(record.workspacePath, {
          isLasting: isOver(record.status),
          onChange: () => registry.notify(record),
        })
      : undefined

  /** Something that its record does not hold has changed. */
  async function notifyOf(session: string): Promise<void> {
    const record = running.knownRecordOf(session) ?? (await rows.find(session))
    if (record) registry.notify(record)
  }

  function assertHere({ name, hubId: home }: SessionRecord): void {
    if (home !== hubId)
      throw new HubError('unavailable', `The session "${name}" runs on another hub. Call that hub instead.`)
  }

  return {
    jobs,
    worktrees,
    prunable: createPrunable({
      rows,
      registry,
      running,
      runs,
      gits,
      worktrees,
      hubId,
      directory: directories.sessions,
    }),
    get count() {
      return running.size
    },
    async restore() {
      const { lateHolderMs = defaultLateHolderMs } = options
      const left = { rows, registry, ends, hubId, newRecord, runs, starter, running, events, log }
      await adoptSessions({ ...left, stopping: stopping.signal, lateHolderMs })
      await jobs.next()
    },
    ...creation,
    async resume(ended, spec, signal) {
      assertHere(ended)
      return creation.resume(ended, spec, signal)
    },
    adopt: createTmuxAdoption({
      rows,
      registry,
      events,
      starter,
      running,
      templates,
      runs,
      newRecord,
      sandboxes: options.sandboxes,
    }),
    find: (nameOrId) => registry.find(nameOrId),
    list: (filter) => rows.list(filter),
    running: () => running.records(),
    describe: (record) =>
      toWire(record, {
        activity: running.activityOf(record),
        approvalsPending: pending.countOf(record.id),
        pid: running.pidOf(record.id),
        hasTerminal: runs.hasTerminal(record),
        thread: threads.currentOf(record.id),
        usage: threads.usageOf(record.id),
        branch: branchOf(record),
        ...running.agentOf(record),
        matrix: chat.matrixOf(record.id),
        socketPath: running.socketPathOf(record.id),
        directory: join(directories.sessions, record.id),
        url: urlOf(record.name),
      }),
    async update(record, patch) {
      assertHere(record)
      const changed = (await registry.change(record.id, () => patch)) ?? (await registry.find(record.id))
      if (patch.terminalTools) signals.emit('session-tools-changed', { session: changed.id })
      return changed
    },
    async kill(record, { remove }) {
      assertHere(record)
      return kill(record, { remove })
    },
    async release(record) {
      assertHere(record)
      return release(record)
    },
    async useModel(record, name) {
      assertHere(record)
      const run = await running.runOf(record)
      if (!run.useModel) throw new HubError('invalid', `The agent of "${record.name}" does not change its model.`)
      run.useModel(name)
      return (await registry.change(record.id, () => ({ model: name }))) ?? record
    },
    async runOf(record) {
      assertHere(record)
      return running.runOf(record)
    },
    async type(record, text, typing) {
      assertHere(record)
      const run = await running.runOf(record)
      if (run.type) return run.type(text, typing)
      throw new HubError('invalid', `The session "${record.name}" has no terminal to type into.`)
    },
    async subject(nameOrId) {
      // Each key and each poll of a viewer calls this, with the id: avoid the database.
      const record = running.knownRecordOf(nameOrId) ?? (await registry.find(nameOrId))
      assertHere(record)
      return toSubject(record, { registry, running })
    },
    async statusOf(id) {
      await running.settled(id)
      return (await registry.find(id)).status
    },
    toolsOf: (id) => running.knownRecordOf(id)?.terminalTools ?? [],
    onChange: (id, listener) => running.onChange(id, listener),
    activityOf: (record) => running.activityOf(record),
    activityView(id, asSeenBy = 'others') {
      const record = running.knownRecordOf(id)
      const ofTerminal = () => (asSeenBy === 'agent' ? running.terminalActivityOf(id) : undefined)
      return (
        record && {
          current: () => ofTerminal() ?? running.activityOf(running.knownRecordOf(id) ?? record),
          onChange: (listener) => running.onChange(id, listener),
        }
      )
    },
    report: (id, report) => running.report(id, report),
    async hook(id, message, signal) {
      const run = await running.liveRunOf(id)
      if (run?.hook) return run.hook(message, signal)
      throw new HubError('not-found', 'This session takes no hooks.')
    },
    async isLiving(nameOrId) {
      // Each request of an agent calls this, with the id: avoid the database.
      const known = running.recordOf(nameOrId)
      if (known && !isOver(known.status)) return true
      const record = await rows.findNamed(nameOrId)
      return record !== undefined && !isOver(record.status)
    },
    async untilStarted(record, waiting) {
      assertHere(record)
      const { id } = record
      return untilStarted({
        ...waiting,
        find: () => registry.find(id),
        onChange: (listener) => running.onChange(id, listener),
      })
    },
    on: {
      async 'session-turn-ended'({ session, status, reason }) {
        await noteTurnEnd(registry, session, { status, reason })
        await gits.exchange(session)
        // The usage of the session may have changed.
        await notifyOf(session)
      },
      'agent-connected': ({ session }) => agents.note(session),
      'chat-bridge-changed': ({ session }) => notifyOf(session),
      async 'approvals-pending'({ session, pending: approvals }) {
        running.notePending(session, approvals)
        await notifyOf(session)
      },
    },
    sweeps: [{ everyMs: 30_000, run: async () => running.sweep() }],
    async [Symbol.asyncDispose]() {
      stopping.abort(new HubError('unavailable', 'The hub is stopping.'))
      await running[Symbol.asyncDispose]()
    },
  }
}
