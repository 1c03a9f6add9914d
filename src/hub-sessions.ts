/** The part of the composition root that makes sessions: templates, terminals, what runs in them and the tools for it. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ActivityRules } from './activity/activity.ts'
import {
  createActivityWatch,
  createReportProvider,
  loadActivityRules,
  waitingNotification,
} from './activity/activity.ts'
import type { Principal } from './base/principal.ts'
import { messageOf } from './base/hub-error.ts'
import type { Log } from './base/log.ts'
import { createNotifier } from './base/notify.ts'
import type { Redactor } from './base/redact.ts'
import { holderSocketDirectory } from './base/socket-places.ts'
import type { LoadedConfig } from './config/config.ts'
import { passedOn, programEnvironment } from './config/config.ts'
import type { EventLog } from './events/events.ts'
import type { Notices, Provider } from './mcp/mcp.ts'
import type { Equipment, SessionRecord, Sessions, SessionSocket } from './sessions/sessions.ts'
import { createPeerProvider, createSessionProvider, createSessions } from './sessions/sessions.ts'
import type { Store } from './store/store.ts'
import { createTemplateProvider, fill, openTemplates, seedWorkspace } from './templates/templates.ts'
import { createTerminals, journalLimits } from './terminal/terminal.ts'
import { createTerminalTools, createViewers } from './terminal-tools/terminal-tools.ts'
import type { Tokens } from './tokens/tokens.ts'

export interface SessionParts {
  readonly sessions: Sessions
  /** For people. */
  readonly providers: readonly Provider[]
  /** For the agent of one session: the tools of its own terminal that are switched on. */
  ownTools(session: string, prefix: string): Provider
  /** What a template's file says of its policy. */
  policyOfTemplate(template: string): string | undefined
  /** For the compositor of a session: what its agent says of itself, and who else is there. */
  peersOf(session: string): readonly Provider[]
}

export interface SessionPartsOptions extends Pick<LoadedConfig, 'config' | 'environment'> {
  readonly home: string
  /** Of the hub: its pages, and its MCP endpoint. */
  readonly origin: string
  readonly url: string
  readonly version: string
  readonly hubId: string
  readonly store: Store
  readonly events: EventLog
  readonly notices: Notices
  readonly tokens: Tokens
  readonly redactor: Redactor
  readonly log: Log
  readonly openSocket: (record: SessionRecord, holderPid: number) => Promise<SessionSocket>
  readonly onToolsChange: (record: SessionRecord) => void
  readonly equip: (session: string, equipment: Equipment) => Promise<void>
  readonly checkPolicy: (source: string) => Promise<void>
  readonly setPolicy: (session: string, source: string, by: Principal) => Promise<void>
  readonly onSessionEnded: (record: SessionRecord) => void
}

const packageFile = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const scrollbackLines = 2_000

export async function openSessionParts(
  { config, environment, ...options }: SessionPartsOptions,
  opened: AsyncDisposableStack,
): Promise<SessionParts> {
  const { home, origin, url, version, hubId, store, events, notices, tokens, log } = options
  const programs = programEnvironment(environment)
  const templates = await openTemplates({
    shippedDirectory: packageFile('templates'),
    userDirectory: join(home, 'templates'),
    searchPath: () => programs['PATH'] ?? '',
    notices,
    log,
  })
  opened.use(templates)

  const directories = { sessions: join(home, 'sessions'), workspaces: join(home, 'workspaces') }
  const terminals = createTerminals({
    directory: directories.sessions,
    socketDirectory: holderSocketDirectory(home),
    version,
    journal: journalLimits(config.journalMaxMb * 1024 * 1024),
    scrollbackLines,
  })
  const rulePlaces = [join(home, 'activity'), packageFile('activity')]
  /** A session whose rules cannot be read is judged by its reports and by how quiet it is. */
  async function rulesOf(template: string): Promise<ActivityRules | undefined> {
    try {
      const { activity } = templates.find(template).template
      return activity === undefined ? undefined : await loadActivityRules(rulePlaces, activity)
    } catch (error) {
      log.warn({ template, error: messageOf(error) }, 'a template’s activity rules cannot be used')
      return undefined
    }
  }
  const urlOf = (name: string) => `${config.sessionFollowBase ?? origin}${config.sessionFollowPath}${name}`
  const redact = (text: string) => options.redactor.text(text)
  const notifier = opened.use(
    createNotifier({ command: config.notifyCommand, url: config.notifyUrl, environment: programs }, log),
  )
  const sessions = createSessions({
    store,
    hubId,
    events,
    notices,
    log,
    terminals,
    templates: {
      find: (name) => templates.find(name),
      fillIn: fill,
      seed: async (name, workspace) => (await seedWorkspace(templates.find(name), workspace)).kept,
    },
    tokens: {
      issue: ({ id, name }) => tokens.issue({ role: 'agent', session: id, label: `session ${name}` }),
      revoke: (id) => tokens.revoke(id),
    },
    directories,
    environment: { base: programs, passedOn: (names) => passedOn(environment, names) },
    mcpUrl: url,
    signalbox: packageFile('bin/signalbox'),
    urlOf,
    defaultTemplate: config.defaultTemplate,
    jobConcurrency: config.jobConcurrency,
    watchActivity: ({ template, activity }, terminal, onChange) =>
      createActivityWatch({ terminal, rules: rulesOf(template), last: activity, redact, onChange }),
    onActivityChange: ({ id, name }, activity) =>
      notifier.notify(async () => waitingNotification({ id, name, activity, session_url: urlOf(name) }), {
        session: id,
      }),
    openSocket: options.openSocket,
    equip: options.equip,
    onToolsChange: options.onToolsChange,
    onSessionEnded: options.onSessionEnded,
  })
  opened.use(sessions)

  const terminalTools = createTerminalTools({
    find: (session) => sessions.subject(session),
    viewers: createViewers(),
    statusOf: (id) => sessions.statusOf(id),
    activityOf: (id) => sessions.activityView(id),
  })
  const reports = createReportProvider((session, report) => sessions.report(session, report))
  return {
    sessions,
    providers: [
      createSessionProvider({
        sessions,
        wait: async (id, input, call) => terminalTools.runWait(await sessions.subject(id), input, call),
        checkWait: (input) => terminalTools.checkWait(input),
        setPolicy: options.setPolicy,
      }),
      createTemplateProvider(templates, options.checkPolicy),
      terminalTools.managementProvider,
    ],
    policyOfTemplate: (template) => templates.find(template).template.policy,
    peersOf: (session) => [reports, createPeerProvider(sessions, session)],
    ownTools: (session, prefix) =>
      terminalTools.ownProvider({
        session,
        prefix,
        isOn: (name) => sessions.toolsOf(session).includes(name),
        onSwitch: (listener) => sessions.onChange(session, listener),
      }),
  }
}
