/** Picks the driver of a session, and describes the session to it. */
import { isOver } from '../api/session.ts'
import type { AgentName, Template } from '../api/template.ts'
import { inMode } from '../api/template.ts'
import type { Usage } from '../api/thread.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import { join } from 'node:path'
import type { Drivers, EarlierThread, OwnToolGate, Run, RunSession, ThreadWriter } from '../drivers/drivers.ts'
import { openAgentFile } from './agent-files.ts'
import type { ConnectedAgents } from './connected-agents.ts'
import { withEarlierText } from './earlier-text.ts'
import type { GovernedFacts } from './governed.ts'
import { agentOfCommand, agentOfProgram } from './agent-of-command.ts'
import { isOfTemplate } from './program.ts'
import type { ProjectWatch, ProjectWatches } from './project-watch.ts'
import type { PendingCalls } from './pending-approvals.ts'
import type { SessionRecord } from './session-store.ts'

export interface SessionRuns {
  readonly drivers: Drivers
  describe(record: SessionRecord): RunSession
  /** The run that an earlier hub started, with the driver named in the record. */
  adopt(record: SessionRecord): Promise<Run | undefined>
  hasTerminal(record: SessionRecord): boolean
  /** The agent of the session, as its template and its command line say. */
  agentOf(record: SessionRecord): KnownAgent
  /** `undefined`: the hub does not know the agent that has a gate in this session. */
  projectOf(record: SessionRecord): ProjectWatch | undefined
}

export type KnownAgent = Pick<GovernedFacts, 'agent' | 'isOfTemplate' | 'agentOfCommand'>

export interface SessionRunsOptions {
  readonly drivers: Drivers
  /** Throws if there is no template of that name. */
  readonly templates: { find(name: string): { readonly template: Template } }
  readonly pending: Pick<PendingCalls, 'heldOf'>
  readonly agents: Pick<ConnectedAgents, 'until'>
  readonly threads: SessionThreads
  readonly ownTools: { of(session: string): OwnToolGate }
  readonly projects: Pick<ProjectWatches, 'of'>
  readonly events: Pick<EventLog, 'append'>
  /** The directory with a folder for each session. */
  readonly directory: string
  readonly log: Log
}

/** The part of the threads that sessions need. */
export interface SessionThreads {
  writerOf(session: { readonly id: string; readonly name: string; readonly agent: string }): ThreadWriter
  /** The id of the newest thread of a session. */
  currentOf(session: string): string | undefined
  /** The tokens and cost of its turns. */
  usageOf(session: string): Usage | undefined
  /** The id that the agent gave the conversation of that thread. */
  conversationOf(session: string): Promise<string | undefined>
  /** Lets the session continue a thread that no other session has. */
  attach(
    thread: string,
    session: { readonly id: string; readonly name: string },
    conversation: string | undefined,
  ): Promise<void>
  /** The thread, for another agent. */
  earlier(thread: string): Promise<EarlierThread>
}

export function createSessionRuns(options: SessionRunsOptions): SessionRuns {
  const { drivers, templates, pending, agents, threads, ownTools, projects, events, directory, log } = options

  function templateOf({ name, template, status, mode }: SessionRecord): Template | undefined {
    try {
      return inMode(templates.find(template).template, mode)
    } catch (error) {
      // An ended session no longer needs its template.
      if (!isOver(status)) {
        log.warn({ session: name, template, error: messageOf(error) }, 'could not use the template of a session')
      }
      return undefined
    }
  }

  function describe(record: SessionRecord): RunSession {
    const { id, name, backend, mode, workspacePath, conversation, resumedFrom, model, activity } = record
    const template = templateOf(record)
    return {
      id,
      name,
      backend,
      mode,
      workspacePath,
      directory: join(directory, id),
      conversation: conversation?.id,
      model,
      template,
      isResumed: resumedFrom !== undefined,
      lastActivity: activity,
      heldCall: () => pending.heldOf(id),
      agentConnected: (signal) => agents.until(id, signal),
      openTranscript: (path) =>
        openAgentFile(path, { directory: join(directory, id), isConfined: record.confined !== undefined }),
      thread: threads.writerOf({ id, name, agent: template?.agent ?? record.template }),
      ownTools: ownTools.of(id),
      projectSettings: async () =>
        (await watchOf(record, gatedAgent(record, template) ?? agentOfCommand(record))?.look()) ?? [],
      async noteAnswer({ question, shows, keys }) {
        const payload = { ...(question !== undefined && { question }), shows, pressed: keys }
        await events.append({ type: 'dialog-answered', session: id, payload })
      },
    }
  }

  function watchOf(
    { id, template, workspacePath }: SessionRecord,
    agent: AgentName | undefined,
  ): ProjectWatch | undefined {
    return agent && projects.of({ id, agent, template, workspacePath })
  }

  return {
    drivers,
    describe,
    async adopt(record) {
      const run = await drivers.find(record.driver).adopt(describe(record))
      return run && withEarlierText(run, join(directory, record.id))
    },
    hasTerminal: ({ driver, mode }) =>
      mode !== 'structured' && drivers.all.some(({ name, abilities }) => name === driver && abilities.terminal),
    agentOf(record) {
      const template = templateOf(record)
      return {
        agent: gatedAgent(record, template),
        isOfTemplate: template !== undefined && isOfTemplate(record, template),
        agentOfCommand: agentOfCommand(record),
      }
    },
    projectOf: (record) => watchOf(record, gatedAgent(record, templateOf(record))),
  }
}

/** A driver that a single agent speaks has its name. */
function gatedAgent({ driver }: SessionRecord, template: Template | undefined): AgentName | undefined {
  return template?.agent ?? agentOfProgram(driver)
}
