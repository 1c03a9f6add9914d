/**
 * The composition root: what the hub is made of, in the order it comes up. Everything that is opened here is closed in
 * reverse, also when a later step fails.
 */
import { readFileSync } from 'node:fs'
import { toolsetNames } from './api/toolsets.ts'
import { createAuditProvider, createRecordLayer } from './audit/audit.ts'
import { atMostEvery } from './base/at-most-every.ts'
import { openDataDirectory } from './base/data-directory.ts'
import { every } from './base/every.ts'
import { HubError, messageOf } from './base/hub-error.ts'
import { createLog } from './base/log.ts'
import { createMetrics } from './base/metrics.ts'
import type { Principal } from './base/principal.ts'
import { createRedactor } from './base/redact.ts'
import { socketPlaces } from './base/socket-places.ts'
import type { LoadedConfig } from './config/config.ts'
import { createConnectionRecords } from './connections/connections.ts'
import { openEventLog } from './events/events.ts'
import { mountUri } from './gateway/gateway.ts'
import { openGatewayParts } from './hub-gateway.ts'
import { openSessionParts } from './hub-sessions.ts'
import { createGate, createHttp, createPage, loginCallbackPath } from './http/http.ts'
import type { Gate, HttpServer } from './http/http.ts'
import type { Face, Notices, Provider } from './mcp/mcp.ts'
import { createEndpoint, createFace, createNotices, createSettleLayer, managementFaceId } from './mcp/mcp.ts'
import type { SessionRecord } from './sessions/sessions.ts'
import { createSessionSockets } from './socket/socket.ts'
import { createStatusProvider, noteStatusChange } from './status/status.ts'
import { openStore } from './store/store.ts'
import { createTokenProvider, createTokens, ensureTokenFile } from './tokens/tokens.ts'

export interface RunningHub {
  /** The MCP endpoint. */
  readonly url: string
  /** The page, with the token in the fragment, where no server and no log sees it. */
  readonly loginUrl: string
  stop(): Promise<void>
  /** Resolves when the hub has stopped, for whatever reason. */
  readonly stopped: Promise<void>
}

/** What a program that embeds the hub may bring along. */
export interface HubParts {
  readonly gate?: Gate
  readonly providers?: (deps: { readonly notices: Notices }) => readonly Provider[]
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const instructions =
  'Signalbox runs AI coding agents and lets you watch and steer them. This is its management server: begin with hub_status. ' +
  'The list is short on purpose; connect to /mcp?toolsets=all for every tool.'
const compositorInstructions = 'Signalbox: the tools you may use in this session.'
const socketInstructions = 'Signalbox: the terminal of one session, as far as it is switched on.'

/** All that there is for an agent but `search`, which is for clients that drown in the others. */
const agentToolsets = toolsetNames.filter((name) => name !== 'search')

const compositorId = (session: string) => `compositor:${session}`
const socketFaceId = (session: string) => `socket:${session}`

export async function startHub({ config, environment }: LoadedConfig, parts: HubParts = {}): Promise<RunningHub> {
  await using opened = new AsyncDisposableStack()
  const startedAt = new Date()
  const startTime = startedAt.toISOString()
  const home = opened.use(await openDataDirectory(config.home))
  const redactor = createRedactor()
  for (const secret of [config.databaseUrl, config.token]) if (secret !== undefined) redactor.addSecret(secret)
  const log = createLog({ level: config.logLevel, redactor })
  const metrics = createMetrics()

  const { host, allowedHosts, allowedOrigins, maxBodyBytes } = config
  const page = createPage({ directory: new URL('../web/', import.meta.url), followPath: config.sessionFollowPath })
  const http = createHttp({ rules: { host, allowedHosts, allowedOrigins }, maxBodyBytes, metrics, page, log })
  const port = await listen(http, host, config.port)
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const url = `${origin}/mcp`
  opened.defer(() => http.stop(0))

  const store = await openStore(
    config.databaseUrl === undefined ? { sqliteDir: home.path } : { databaseUrl: config.databaseUrl },
  )
  opened.use(store)
  const retention = { maxAgeMs: config.eventsMaxAgeDays * 86_400_000, maxBytes: config.eventsMaxMb * 1024 * 1024 }
  const events = await openEventLog(
    store.postgres ? { engine: 'postgres', postgres: store.postgres } : { engine: 'sqlite', path: home.eventsFile },
    { redactor, retention, log },
  )
  opened.use(events)

  const notices = createNotices()
  const onStatusChange = () => noteStatusChange(notices)
  const tokens = createTokens({
    store,
    onEnded: (id) => void endpoint.dropToken(id),
    onChange: onStatusChange,
    sessionId: async (nameOrId) => (await sessions.find(nameOrId)).id,
  })
  const readMemory = atMostEvery(1_000, () => process.memoryUsage.rss())
  const statusProvider = createStatusProvider(() => ({
    name: 'signalbox',
    version,
    started_at: startTime,
    uptime_seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    store: store.engine,
    sessions: sessions.count,
    ...endpoint.counts(),
    events: events.lastSeq,
    memory_bytes: readMemory(),
  }))

  const hubId = (await home.key('hub')).toString('hex')
  const {
    sessions,
    providers: sessionProviders,
    ownTools,
    peersOf,
    policyOfTemplate,
  } = await openSessionParts(
    {
      config,
      environment,
      home: home.path,
      origin,
      url,
      version,
      hubId,
      store,
      events,
      notices,
      tokens,
      redactor,
      log,
      openSocket,
      equip: (session, equipment) => guarded.equip(session, equipment),
      checkPolicy: (source) => guarded.checkPolicy(source),
      setPolicy: (session, source, by) => guarded.setPolicy(session, source, by),
      onToolsChange({ id }) {
        notices.listChanged('tools', compositorId(id))
        notices.listChanged('tools', socketFaceId(id))
        notices.resourceChanged(mountUri('terminal'), compositorId(id))
      },
      onSessionEnded({ id }) {
        compositors.delete(id)
        guarded.sessionEnded(id)
        onStatusChange()
      },
    },
    opened,
  )

  const guarded = await openGatewayParts(
    {
      config,
      environment,
      hubId,
      home: home.path,
      loginCallback: `${origin}${loginCallbackPath}`,
      version,
      store,
      events,
      notices,
      redactor,
      log,
      faceIdOf: compositorId,
      compositorOf,
      findSession: (nameOrId) => sessions.find(nameOrId),
      templatePolicy: policyOfTemplate,
    },
    opened,
  )

  const info = { name: 'signalbox', title: 'Signalbox', version }
  const settle = createSettleLayer(notices)
  const agentLayers = [settle, guarded.gateway.layer]
  const management = createFace({
    id: managementFaceId,
    info,
    instructions,
    layers: [settle, createRecordLayer({ events, log })],
    providers: [
      statusProvider,
      createTokenProvider(tokens),
      createAuditProvider({ events, notices, findSession: (nameOrId) => sessions.find(nameOrId) }),
      ...sessionProviders,
      ...guarded.providers,
      ...(parts.providers?.({ notices }) ?? []),
    ],
  })
  const compositors = new Map<string, Face>()
  function compositorOf(session: string): Face {
    const known = compositors.get(session)
    if (known) return known
    const own = [statusProvider, ownTools(session, 'terminal_'), ...peersOf(session)]
    const compositor: Face = createFace({
      id: compositorId(session),
      info,
      instructions: compositorInstructions,
      defaultToolsets: agentToolsets,
      layers: agentLayers,
      visible: (tools) => guarded.gateway.visible(session, tools),
      providers: [...own, ...guarded.providersOf(session, () => compositor)],
    })
    compositors.set(session, compositor)
    return compositor
  }
  const faceOf = ({ role, session = '' }: Principal) => (role === 'human' ? management : compositorOf(session))

  const endpoint = createEndpoint({
    records: createConnectionRecords({ store, hubId }),
    notices,
    log,
    stateKey: await home.key('state'),
    faceOf,
    principalOf: (id) => tokens.principalOf(id),
    maxConnectionsPerToken: config.maxConnectionsPerToken,
    connectionIdleMs: config.connectionIdleHours * 3_600_000,
    onConnectionsChange: onStatusChange,
  })
  const sockets = createSessionSockets({
    endpoint,
    places: socketPlaces({ home: home.path, runtimeDirectory: environment['XDG_RUNTIME_DIR'] }),
    maxLineBytes: maxBodyBytes,
    log,
  })
  opened.use(sockets)
  async function openSocket({ id, socketName }: SessionRecord, holderPid: number) {
    const face = createFace({
      id: socketFaceId(id),
      info,
      instructions: socketInstructions,
      defaultToolsets: agentToolsets,
      layers: agentLayers,
      visible: (tools) => guarded.gateway.visible(id, tools),
      providers: [ownTools(id, '')],
    })
    const caller: Principal = { tokenId: `socket of ${id}`, role: 'agent', session: id }
    // Unlike the hub's pid, the holder's is the session's alone, and stays as long as the session.
    return sockets.open({ name: socketName ?? String(holderPid), caller, face })
  }
  await endpoint.restore()
  await sessions.restore()
  opened.defer(() => http.stop(config.drainGraceSeconds * 1000))
  opened.defer(() => guarded.endHolds())
  metrics.gauge('signalbox_sessions', 'Sessions that run.', () => sessions.count)
  metrics.gauge('signalbox_connections', 'Open MCP connections.', () => endpoint.counts().connections)
  metrics.gauge('signalbox_listeners', 'Open subscriptions/listen streams.', () => endpoint.counts().listeners)
  metrics.gauge('signalbox_events_last_seq', 'Newest cursor of the event log.', () => events.lastSeq)
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  metrics.gauge('nodejs_heap_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed)

  const token = await ensureTokenFile(home.tokenFile, tokens)
  opened.use(every(500, log, () => tokens.endExpired()))
  opened.use(every(60_000, log, () => tokens.saveLastUsed()))
  opened.use(every(30_000, log, () => endpoint.sweep()))
  opened.use(every(30_000, log, async () => sessions.sweep()))

  const hasSession = (session: string) => sessions.isLiving(session)
  const gate = parts.gate ?? createGate({ authenticate: (text) => tokens.authenticate(text), hasSession })
  http.open({ endpoint, gate, faceOf, finishLogin: guarded.finishLogin })
  await home.announce({ url, pid: process.pid, version, started_at: startTime })
  await events.append({ type: 'hub-started', payload: { version, pid: process.pid, url } })
  log.debug({ url, version, store: store.engine }, 'the hub is ready')

  const running = opened.move()
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>()
  stopped.catch(() => {})
  let stopping: Promise<void> | undefined
  async function stop(): Promise<void> {
    log.debug({}, 'the hub is stopping')
    await tokens.saveLastUsed()
    await events.append({ type: 'hub-stopped', payload: {} })
    await running.disposeAsync()
  }
  return {
    url,
    loginUrl: `${origin}/#token=${token}`,
    stop: () =>
      (stopping ??= stop()
        .then(resolve, reject)
        .then(() => stopped)),
    stopped,
  }
}

async function listen(http: HttpServer, host: string, port: number): Promise<number> {
  try {
    return await http.listen(host, port)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why = code === 'EADDRINUSE' ? 'another program holds it' : messageOf(error)
    throw new HubError(
      'unavailable',
      `The hub cannot listen on ${host}:${port}: ${why}. Set SIGNALBOX_PORT to another port, or 0 for any free one.`,
      { cause: error },
    )
  }
}
