/**
 * Connectors: the MCP servers that sessions may use. Each is registered once and bound to sessions, which may override
 * parts of it. It is then resolved to the configuration that opens an upstream.
 */
import { mkdirSync, rmSync } from 'node:fs'
import type { BoundConnector, Connector, Overrides } from '../api/connector.ts'
import { createToolTest } from '../api/tool-filter.ts'
import { isNotFound } from '../base/hub-error.ts'
import { holdsKnownSecret } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { Log } from '../base/log.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'
import { type BindingRecord, createBindingStore } from './binding-store.ts'
import { type PlannedBinding, createBindings } from './bindings.ts'
import { refuseTexts } from './check-connector.ts'
import { consentWanted, createConsents } from './consents.ts'
import type { RequestOnce } from './call-tool.ts'
import type { ConnectorLogins } from './connector-views.ts'
import { createConnectorNotices } from './connector-notices.ts'
import { type ConnectorRecord, createConnectorStore } from './connector-store.ts'
import type { Texts } from './texts/connector-texts.ts'
import { createConnectorDesk } from './connector-desk.ts'
import { type KnownLists, createKnownListStore } from './known-lists.ts'
import { merge } from './merge.ts'
import { namedVariables } from './texts/references.ts'
import { type Note, createRegistry } from './registry.ts'
import { type Resolution, type SessionPlace, createResolver } from './resolve.ts'
import type { Trial } from './try-out.ts'
import type { Connectors, LoneConnector, MountedConnector } from './connector.ts'
import { chooseLabel } from './labels.ts'
import { toolFilterOf } from './tool-filter.ts'

export type { Connectors, LiveUpstreams } from './connector.ts'
export { exportConnectors, exportFormats } from './formats/export.ts'
export { foreignPrograms, readForeignFiles } from './foreign-files.ts'
export type { SessionPlace } from './resolve.ts'
export type { Trial } from './try-out.ts'

export interface ConnectorsOptions {
  readonly store: Store
  readonly notices: Notices
  readonly events: Pick<EventLog, 'append' | 'appendLater'>
  /** The hub's own environment, in which `${VAR}` and env_keys are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The variables that every program gets: PATH, HOME … */
  readonly baseEnvironment: Readonly<Record<string, string>>
  /** Where their programs start. Made by `start`; nothing else is in it. */
  readonly startDirectory: string
  readonly redactor: Pick<Redactor, 'addSecret' | 'text' | 'forPerson'>
  /** Takes a name or an id. Throws if there is no such session. */
  readonly findSession: (nameOrId: string) => Promise<SessionPlace>
  /** Opens an upstream, reads its lists and closes it. */
  readonly test: (target: UpstreamTarget, signal: AbortSignal) => Promise<Trial>
  readonly request: RequestOnce
  /** No confined session starts with a connector that waits for consent. */
  readonly isSandboxRequired: boolean
  /** Logins at upstreams. */
  readonly logins: ConnectorLogins
  readonly signals: SignalSender
  readonly log: Pick<Log, 'warn'>
}

export function createConnectors(options: ConnectorsOptions): Connectors {
  const { store, events, environment, baseEnvironment, startDirectory, redactor, findSession, signals, log } = options
  const rows = createConnectorStore(store)
  const bindingRows = createBindingStore(store)
  const holdsSecret = (text: string) => holdsKnownSecret(redactor, text)
  const knownLists = createKnownListStore(store, holdsSecret)
  const consents = createConsents(store)
  const resolver = createResolver({ environment, baseEnvironment, startDirectory, redactor })
  const tell = createConnectorNotices(options.notices)
  const note: Note = async (event) => void (await events.append(event))

  function refuseKnown(connector: Connector, written: Texts = connector): void {
    // The preview reports the values of the connector's own variables to the redactor.
    resolver.preview(connector, {}, nowhere)
    refuseTexts(connector.name, written, holdsSecret)
  }

  const registry = createRegistry({
    connectors: rows,
    bindings: bindingRows,
    tell,
    note,
    refuseKnown,
    signals,
  })
  const bindings = createBindings({
    connectors: rows,
    bindings: bindingRows,
    findConnector: (name) => registry.find(name),
    refuseKnown,
    async onRegistered(connector) {
      await note({ type: 'connector-saved', payload: { connector } })
      tell.connectors([connector.name])
    },
  })

  async function bound(session: SessionPlace, planned: readonly Pick<PlannedBinding, 'connector' | 'label'>[]) {
    for (const { connector, label } of planned) {
      await note({ type: 'connector-bound', session: session.id, payload: { connector, label } })
    }
    bindingsChanged(
      session,
      planned.map(({ connector }) => connector),
    )
  }

  function bindingsChanged(session: Pick<SessionPlace, 'id' | 'name'>, connectors: readonly string[]): void {
    tell.session(session)
    tell.connectors(connectors)
    signals.emit('bindings-changed', { session: session.id })
  }

  async function resolve(nameOrId: string, label: string): Promise<Resolution> {
    const session = await findSession(nameOrId)
    const { connector, overrides } = await bindings.find(session, label)
    await assertConsent(connector, overrides, session)
    return resolver.resolve(connector.connector, overrides, session)
  }

  async function assertConsent({ id, connector }: ConnectorRecord, overrides: Overrides, session: SessionPlace) {
    const consent = await consents.find(id, merge(connector, overrides), session)
    if (consent?.is === 'wanted') throw consentWanted(connector.name, session.name)
  }

  /** A person who names connectors for a session allows them. Others are left to a person, or refused. */
  async function settleConsents(
    session: SessionPlace,
    planned: readonly PlannedBinding[],
    by: string | undefined,
  ): Promise<readonly string[]> {
    const warnings: string[] = []
    for (const { label } of planned) {
      const { connector, overrides } = await bindings.find(session, label)
      const merged = merge(connector.connector, overrides)
      const consent = await consents.find(connector.id, merged, session)
      if (consent?.is !== 'wanted') continue
      if (by !== undefined) await consents.give(connector.id, merged, by)
      else if (!merged.enabled) continue
      else if (options.isSandboxRequired) throw consentWanted(merged.name, session.name)
      else warnings.push(consentWanted(merged.name, session.name).message)
    }
    return warnings
  }

  async function resolveAlone(name: string, nameOrId?: string): Promise<LoneConnector> {
    const record = await registry.find(name)
    const { connector } = record
    const session = nameOrId === undefined ? nowhere : await findSession(nameOrId)
    await assertConsent(record, {}, session)
    const bound = (await bindingsOf(session.id)).filter((each) => each.connector === name)
    const isOffered = createToolTest(toolFilterOf(connector.options))
    const isBound = bound.map(({ tools = {} }) => createToolTest(tools))
    const { target, fingerprint } = resolver.resolve(connector, {}, session)
    return {
      target,
      fingerprint,
      allows: (tool) => isOffered(tool) && (isBound.length === 0 || isBound.some((allows) => allows(tool))),
      mounts: [...new Set([...bound.map(({ label }) => label), chooseLabel(name, undefined)])],
    }
  }

  async function mountOf(session: string, bound: BoundConnector): Promise<MountedConnector> {
    try {
      const { target, fingerprint, version } = await resolve(session, bound.label)
      return { ...bound, target, fingerprint, version }
    } catch (error) {
      const target = error instanceof Error ? error : new Error(String(error))
      const unresolved = `unresolved: ${target.message}`
      return { ...bound, target, fingerprint: unresolved, version: unresolved }
    }
  }

  const bindingsOf = async (sessionId: string) => (await bindings.list(sessionId)).map(toBound)

  async function keepLists(id: string, version: string, lists: KnownLists): Promise<void> {
    await knownLists.save(id, version, lists)
    const kept = (await rows.list()).find((record) => record.id === id)
    if (kept) tell.connectors([kept.connector.name])
  }

  /** Lists that cannot be read are as good as none: the next test replaces them. */
  async function listsOf(id: string, version: string): Promise<KnownLists | undefined> {
    return knownLists.load(id, version).catch(() => undefined)
  }

  /** A session that an earlier hub started may have connectors that nobody was asked about then. */
  async function warnOfConsents(): Promise<void> {
    for (const { id, connector } of await rows.list()) {
      for (const { name, confined, overrides } of await bindingRows.sessionsOf(connector.name)) {
        const consent = await consents.find(id, merge(connector, overrides), { confined })
        if (consent?.is === 'wanted') log.warn({}, consentWanted(connector.name, name).message)
      }
    }
  }

  async function dropKeptSecrets(): Promise<void> {
    for (const { connector } of await rows.list()) resolver.preview(connector, {}, nowhere)
    await knownLists.dropSecrets()
  }

  return {
    bindingsOf,
    async mountsOf(sessionId) {
      const enabled = (await bindingsOf(sessionId)).filter(({ isEnabled }) => isEnabled)
      return Promise.all(enabled.map((bound) => mountOf(sessionId, bound)))
    },
    usesOf: async (sessionId) =>
      (await bindings.list(sessionId)).map(({ connector, label, overrides, priority }) => ({
        connector: connector.connector.name,
        label,
        overrides,
        priority,
      })),
    async bindAll(nameOrId, uses, by) {
      const session = await findSession(nameOrId)
      const planned = await bindings.bindAll(session, uses)
      const warnings = await settleConsents(session, planned, by)
      await bound(session, planned)
      return warnings
    },
    async bindLegacyMap(nameOrId, map, by) {
      const session = await findSession(nameOrId)
      const planned = await bindings.bindLegacyMap(session, map)
      await settleConsents(session, planned, by)
      await bound(session, planned)
    },
    resolve,
    resolveAlone,
    assertThere: async (name) => void (await registry.find(name)),
    async variables() {
      const connectors = (await rows.list()).map(({ connector }) => connector)
      return new Set([...connectors, ...(await bindingRows.allOverrides())].flatMap(namedVariables))
    },
    saveLists: keepLists,
    loadLists: (id, fingerprint) => knownLists.load(id, fingerprint),
    lastLists: async () =>
      Promise.all(
        (await rows.list()).map(async ({ id, connector }) => ({
          label: chooseLabel(connector.name, undefined),
          lists: await knownLists.last(id),
        })),
      ),
    dropKeptSecrets,
    createDesk: (upstreams) =>
      createConnectorDesk({
        registry,
        bindings,
        consents,
        sessionsOf: (name) => bindingRows.sessionsOf(name),
        resolver,
        findSession,
        upstreams,
        environment,
        home: baseEnvironment['HOME'] ?? '/',
        nowhere,
        redactor,
        test: options.test,
        request: options.request,
        logins: options.logins,
        events,
        keepLists,
        listsOf,
        changed: (name) => tell.connectors([name]),
        note,
        bound,
        bindingsChanged,
      }),
    on: {
      async 'upstream-changed'({ session, connector }) {
        const place = await findSession(session).catch((error: unknown) => {
          // The session was removed meanwhile, so no client watches it.
          if (isNotFound(error)) return undefined
          throw error
        })
        if (!place) return
        tell.session(place)
        tell.connectors([connector])
      },
      'upstream-output': ({ connector }) => tell.output(connector),
      'login-changed': ({ connector }) => tell.connectors([connector]),
    },
    async start() {
      // Read-only, so that no program leaves a file there that the next one runs or obeys.
      rmSync(startDirectory, { recursive: true, force: true })
      mkdirSync(startDirectory, { mode: 0o500 })
      await warnOfConsents()
      // This reads every cached list, so the hub does not wait for it.
      void dropKeptSecrets().catch((error: unknown) => log.warn({ error }, 'kept lists could not be looked through'))
    },
  }
}

/** The place for trying out a connector without a session. Every sandbox has a /tmp, whatever TMPDIR says. */
const nowhere: SessionPlace = { id: 'test', name: 'test', workspacePath: '/tmp', isNowhere: true }

function toBound({ label, priority, connectorId, connector, overrides }: BindingRecord): BoundConnector {
  const { name, enabled, options } = merge(connector.connector, overrides)
  return {
    label,
    priority,
    connectorId,
    connector: name,
    isEnabled: enabled,
    isShared: options.shared === true,
    hasPrefix: options.prefix !== false,
    tools: toolFilterOf(options),
  }
}
