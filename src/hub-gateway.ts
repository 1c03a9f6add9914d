/** The part of the composition root that stands between agents and what they call: connectors, policy, approvals, gateway. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApprovalProvider, openApprovals } from './approvals/approvals.ts'
import { messageOf } from './base/hub-error.ts'
import { holdsKnownSecret } from './base/known-secrets.ts'
import type { Log } from './base/log.ts'
import type { Principal } from './base/principal.ts'
import type { Redactor } from './base/redact.ts'
import type { LoadedConfig } from './config/config.ts'
import { programEnvironment, upstreamEnvironment } from './config/config.ts'
import type { Connectors } from './connectors/connectors.ts'
import { createConnectors } from './connectors/connectors.ts'
import type { EventLog } from './events/events.ts'
import type { BoundConnector, Gateway } from './gateway/gateway.ts'
import { createGateway, tryUpstream } from './gateway/gateway.ts'
import type { Face, Notices, Provider, UpstreamListener, UpstreamTarget } from './mcp/mcp.ts'
import { createUpstreamLogins, createUpstreams } from './mcp/mcp.ts'
import { createPolicies } from './policies/policies.ts'
import type { Equipment, SessionRecord } from './sessions/sessions.ts'
import type { Store } from './store/store.ts'

export interface GatewayParts {
  readonly gateway: Gateway
  /** For people. */
  readonly providers: readonly Provider[]
  /** For the compositor of a session. */
  providersOf(session: string, compositor: () => Face): readonly Provider[]
  equip(session: string, equipment: Equipment): Promise<void>
  setPolicy(session: string, source: string, by: Principal): Promise<void>
  /** Throws where it cannot be understood. */
  checkPolicy(source: string): Promise<void>
  sessionEnded(session: string): void
  /** A person has logged in at an upstream; answers for which connector. */
  finishLogin(answer: { code: string; state: string; issuer?: string }): Promise<string>
  /** Calls that wait for a person are told to come back: the hub stops. */
  endHolds(): void
}

export interface GatewayPartsOptions extends Pick<LoadedConfig, 'config' | 'environment'> {
  readonly hubId: string
  /** The data directory. */
  readonly home: string
  /** Where the login pages of upstreams send people back to. */
  readonly loginCallback: string
  readonly version: string
  readonly store: Store
  readonly events: EventLog
  readonly notices: Notices
  readonly redactor: Redactor
  readonly log: Log
  readonly faceIdOf: (session: string) => string
  /** What the agent of a session sees. */
  readonly compositorOf: (session: string) => Face
  readonly findSession: (nameOrId: string) => Promise<SessionRecord>
  /** What the template's file says, where nobody saved another. */
  readonly templatePolicy: (template: string) => string | undefined
}

const shippedPolicy = readFileSync(new URL('../policies/hub.yaml', import.meta.url), 'utf8')

/** A list waits so long for upstreams that have just been started; what is missing then comes by notice. */
const listGraceMs = 1_000

export async function openGatewayParts(
  { config, environment, ...options }: GatewayPartsOptions,
  opened: AsyncDisposableStack,
): Promise<GatewayParts> {
  const { hubId, version, store, events, notices, redactor, log, faceIdOf, findSession, templatePolicy } = options
  const programs = programEnvironment(environment)
  const logins = createUpstreamLogins({
    directory: join(options.home, 'upstream-auth'),
    redirectUrl: options.loginCallback,
    onLoginWanted: (connector) => log.warn({ connector }, 'a person has to log in at an upstream'),
  })
  const upstreams = opened.use(
    createUpstreams({
      homeId: hubId,
      info: { name: 'signalbox', title: 'Signalbox', version },
      log,
      redact: (text) => redactor.text(text),
      logins,
    }),
  )
  const approvals = opened.use(
    await openApprovals({
      store,
      hubId,
      notices,
      events,
      redactor,
      log,
      holdMs: config.approvalHoldSeconds * 1000,
      expiryMs: config.approvalExpirySeconds * 1000,
      policyVersionOf: (session) => policies.versionOf(session),
      hooks: { command: config.notifyCommand, url: config.notifyUrl, environment: programs },
    }),
  )
  const policies = createPolicies({
    store,
    events,
    notices,
    redactor,
    shippedSource: shippedPolicy,
    templatePolicy,
    findSession,
    grantsOf: (session) => approvals.grantsOf(session),
    namesOf: (session, tool) => gateway.namesOf(session, tool),
    onSaved: () => gateway.policiesChanged(),
  })
  const connectors = createConnectors({
    store,
    notices,
    events,
    environment,
    baseEnvironment: upstreamEnvironment(environment),
    redactor,
    findSession,
    upstreamOf: (session, label) => gateway.upstreamOf(session, label),
    restartUpstreams: (connector, session) => gateway.restart(connector, session),
    async test(target, signal) {
      await using upstream = upstreams.open(target, silent)
      const [tried] = await Promise.allSettled([tryUpstream(upstream, signal)])
      const { stderr } = upstream
      // It may answer us, and want more rights for some call.
      const address = logins.pending(target.name)
      if (address !== undefined) return { error: `A person has to log in first: open ${address}`, stderr }
      return tried.status === 'fulfilled' ? { report: tried.value } : { error: messageOf(tried.reason), stderr }
    },
    onRemoved: (connector) => logins.forget(connector),
    onBindingsChange: (session) =>
      void gateway
        .refresh(session)
        .catch((error: unknown) => log.error({ session, error }, 'mounts were not refreshed')),
  })

  async function tellStatus(session: string, connector: string): Promise<void> {
    const record = await findSession(session).catch(() => undefined)
    if (record) connectors.upstreamChanged(record, connector)
  }

  const gateway = opened.use(
    createGateway({
      store,
      events,
      notices,
      log,
      faceIdOf,
      graceMs: listGraceMs,
      holdsSecret: (text) => holdsKnownSecret(redactor, text),
      findSession,
      compositorOf: options.compositorOf,
      foresee: (session) => policies.foresee(session),
      decide: (session, call) => policies.decide(session, call),
      obtain: (request, call) => approvals.obtain(request, call),
      bindingsOf: (session) => resolveBindings(connectors, session),
      known: ({ connectorId, fingerprint }) => connectors.loadLists(connectorId, fingerprint),
      keep: ({ connectorId, fingerprint }, lists) => connectors.saveLists(connectorId, fingerprint, lists),
      onStatusChange: (session, connector) => void tellStatus(session, connector),
      openUpstream: (target, listener) => upstreams.open(target, listener),
    }),
  )
  void connectors
    .dropKeptSecrets()
    .catch((error: unknown) => log.warn({ error }, 'kept lists could not be looked through'))
  void upstreams.sweepStale().catch((error: unknown) => log.warn({ error }, 'old upstreams could not be looked for'))

  return {
    gateway,
    providers: [
      connectors.provider,
      gateway.provider,
      policies.provider,
      createApprovalProvider({ approvals, findSession }),
    ],
    providersOf: (session, compositor) => [
      ...gateway.providersOf(session, compositor),
      policies.agentProvider(session),
    ],
    async equip(session, { connectors: uses, mcps, policy, by }) {
      if (policy !== undefined) await policies.setAtBirth(session, policy, by)
      if (uses.length > 0) await connectors.bindAtBirth(session, uses)
      if (mcps) await connectors.bindLegacyMap(session, mcps)
      if (mcps || uses.length > 0) gateway.start(session)
    },
    checkPolicy: (source) => policies.check(source),
    setPolicy: (session, source, { label, tokenId }) =>
      policies.setAtBirth(session, source, label ?? `token ${tokenId}`),
    sessionEnded(session) {
      policies.forget(session)
      const onError = (error: unknown) => log.error({ session, error }, 'what a session had open was not closed')
      void gateway.close(session).catch(onError)
      void approvals.abandonOf(session).catch(onError)
    },
    async finishLogin(answer) {
      const connector = await logins.finish(answer)
      await gateway.restart(connector)
      return connector
    },
    endHolds: () => approvals.endHolds(),
  }
}

/** Everything a session is bound to and that is switched on; what cannot be resolved is shown with the reason. */
async function resolveBindings(connectors: Connectors, session: string): Promise<readonly BoundConnector[]> {
  const bindings = await connectors.bindingsOf(session)
  return Promise.all(
    bindings
      .filter(({ isEnabled }) => isEnabled)
      .map(async (binding) => {
        const { target, fingerprint } = await resolution(connectors, session, binding.label)
        return { ...binding, target, fingerprint }
      }),
  )
}

async function resolution(
  connectors: Connectors,
  session: string,
  label: string,
): Promise<{ target: UpstreamTarget | Error; fingerprint: string }> {
  try {
    return await connectors.resolve(session, label)
  } catch (error) {
    const reason = error instanceof Error ? error : new Error(String(error))
    return { target: reason, fingerprint: `unresolved: ${reason.message}` }
  }
}

/** For an upstream that is only tried out. */
const silent: UpstreamListener = {
  status() {},
  notification() {},
  breach() {},
  async ask({ method }) {
    if (method === 'roots/list') return { roots: [] }
    throw new Error('nobody is there to be asked')
  },
}
