/**
 * The composition root: the parts of the hub, in start-up order. Each part gets the parts above it, and reacts to those
 * below it through signals. Everything opened here is closed in reverse order, also if a later step fails.
 */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunningHub } from './api/running-hub.ts'
import { essentialTools } from './api/toolsets.ts'
import { createActivity } from './activity/activity.ts'
import { compositorId, createAgentFaces } from './agent-faces.ts'
import { createGrants, openApprovals } from './approvals/approvals.ts'
import { createAudit, createRecordLayer } from './audit/audit.ts'
import { atMostEvery } from './base/at-most-every.ts'
import { openDataDirectory } from './base/data-directory.ts'
import { every } from './base/every.ts'
import { holdsKnownSecret } from './base/known-secrets.ts'
import { createLog } from './base/log.ts'
import { createMetrics } from './base/metrics.ts'
import { connectableHost, originOf } from './base/origin-of.ts'
import { packageFile, packageVersion, signalboxProgram } from './base/package-files.ts'
import type { Principal } from './base/principal.ts'
import { createRedactor } from './base/redact.ts'
import { isSharedMachine } from './base/shared-machine.ts'
import { holderSocketDirectory, hubSocket, programSocketDirectory, socketPlaces } from './base/socket-places.ts'
import type { LoadedConfig, PersonsEnvironment } from './config/config.ts'
import { passedOn, programEnvironment, upstreamEnvironment, withoutVariables } from './config/config.ts'
import { createConfineProgram } from './confine-program.ts'
import { createConfineUpstream } from './confine-upstream.ts'
import { createConnectionRecords } from './connections/connections.ts'
import { createChat } from './chat/chat.ts'
import { createConnectors } from './connectors/connectors.ts'
import {
  companions,
  createAcpDriver,
  createClaudeDriver,
  createCodexDriver,
  createDrivers,
  createModelDriver,
  createOpencodeDriver,
  createPtyDriver,
  signInReason,
  whyNotCodex,
} from './drivers/drivers.ts'
import { createEndpoint, createFace, createSettleLayer, ownUris } from './endpoint/endpoint.ts'
import { openEventLog } from './events/events.ts'
import type { Feature } from './feature/feature.ts'
import { createSignals } from './feature/feature.ts'
import {
  createChainPolicies,
  createGate,
  createOfferedTools,
  createOwnNetwork,
  createOwnToolGates,
  createTurns,
} from './gate/gate.ts'
import { createGateway, createRequestOnce, createSearchProvider, createTrial, refusalError } from './gateway/gateway.ts'
import {
  createAuthenticator,
  createHttp,
  createPage,
  createPageAddresses,
  loginCallbackPath,
  listenIfFree,
  openCertificate,
} from './http/http.ts'
import type { Authenticator } from './http/http.ts'
import type { Notices, Provider } from './mcp/mcp.ts'
import { createNotices, managementFaceId } from './mcp/mcp.ts'
import { createPeers } from './peers/peers.ts'
import { createModels } from './models/models.ts'
import { createPolicies } from './policies/policies.ts'
import { createPrune } from './prune/prune.ts'
import { createPush } from './push/push.ts'
import { createRepositories, createRepositoryQueries, embeddingsOf } from './repositories/repositories.ts'
import { createRepositoryFaces } from './repository-faces.ts'
import { createFindSession, createSessions, createSessionTools } from './sessions/sessions.ts'
import { createRoutes } from './routes/routes.ts'
import { createSandboxes } from './sandbox/sandbox.ts'
import { createSessionSockets } from './socket/socket.ts'
import { createStatus } from './status/status.ts'
import { openStore } from './store/store.ts'
import { createTemplateTools, fill, openTemplates, readIncludes, seedWorkspace } from './templates/templates.ts'
import { createPipedPrograms, createTerminals, journalLimits } from './terminal/terminal.ts'
import { collectorOf, createTelemetry, secretsOf } from './telemetry/telemetry.ts'
import { createTerminalTools, createViewers } from './terminal-tools/terminal-tools.ts'
import { createProviderSwitch, createThreads } from './threads/threads.ts'
import { createLoginCodes, createTokens, ensureTokenFile } from './tokens/tokens.ts'
import { createUpstreamLogins, createUpstreams } from './upstream/upstream.ts'
import { createWorkspaces } from './workspaces/workspaces.ts'

export type { RunningHub } from './api/running-hub.ts'

/** Parts that an embedding program may replace or add. */
export interface HubParts {
  readonly authenticator?: Authenticator
  readonly providers?: (deps: { readonly notices: Notices }) => readonly Provider[]
}

const version = packageVersion()
const info = { name: 'signalbox', title: 'Signalbox', version }
const instructions =
  'Signalbox runs AI coding agents and lets you watch and steer them. This is its management server: start with list_sessions. ' +
  'The tool list has the essentials. Find the other tools (connectors, policy, jobs, grants, tokens, events and more) with ' +
  'search_tools and call them with call_tool. A client lists them with /mcp?toolsets=all.'
const shippedPolicy = readFileSync(packageFile('policies/hub.yaml'), 'utf8')
const scrollbackLines = 2_000
const daysOf = (days: number | undefined) => (days === undefined ? undefined : days * 86_400_000)

export async function startHub(
  { config, environment, sources }: LoadedConfig,
  parts: HubParts = {},
): Promise<RunningHub> {
  await using opened = new AsyncDisposableStack()
  const startedAt = new Date()

  // The foundation.
  const home = opened.use(await openDataDirectory(config.home))
  const redactor = createRedactor()
  const collector = collectorOf(config)
  const collectorSecrets = collector ? secretsOf(collector) : []
  for (const secret of [config.databaseUrl, config.token, config.embeddingsApiKey, ...collectorSecrets])
    if (secret !== undefined) redactor.addSecret(secret)
  const log = createLog({ level: config.logLevel, redactor })
  const metrics = createMetrics()

  // From here on the server answers, with 503 "starting".
  const { host, allowedHosts, allowedOrigins, maxBodyBytes } = config
  const certificate = openCertificate({ cert: config.tlsCert, key: config.tlsKey, log })
  const serving = {
    rules: { host, allowedHosts, allowedOrigins },
    maxIdlePerToken: config.maxIdleConnectionsPerToken,
    metrics,
    log,
  }
  const http = createHttp({
    ...serving,
    maxBodyBytes,
    certificate,
    page: createPage({ directory: packageFile('dist/page'), followPath: config.sessionFollowPath }),
  })
  const port = await http.listen(host, config.port)
  const originAt = (address: string) => originOf(certificate ? 'https' : 'http', address, port)
  const origin = originAt(host)
  const url = `${origin}/mcp`
  // Programs on this machine may use plain HTTP, since they may not trust the certificate.
  const localUrl = `${originOf('http', connectableHost(host), port)}/mcp`
  opened.defer(() => http.stop(0))
  await http.listenAt(hubSocket(home.path))
  const repositoryHttp = createHttp({
    ...serving,
    maxBodyBytes: config.repositoryMaxBodyBytes,
    certificate: openCertificate({ cert: config.tlsCert, key: config.tlsKey, log }),
    settingNames: { port: 'SIGNALBOX_REPOSITORY_MCP_PORT', maxBodyBytes: 'repository_max_body_bytes' },
    servesMcpAtRoot: true,
  })
  const isPortChosen = sources.find(({ key }) => key === 'repository_mcp_port')?.from !== 'default'
  const repositoryPort =
    config.repositoryMcpPort === 'off'
      ? undefined
      : await listenIfFree(repositoryHttp, { host, port: config.repositoryMcpPort, isChosen: isPortChosen, log })
  opened.defer(() => repositoryHttp.stop(0))
  const repositoryUrl =
    repositoryPort === undefined ? undefined : `${originOf(certificate ? 'https' : 'http', host, repositoryPort)}/mcp`

  const store = opened.use(
    await openStore(config.databaseUrl === undefined ? { sqliteDir: home.path } : { databaseUrl: config.databaseUrl }),
  )
  const retention = { maxAgeMs: config.eventsMaxAgeDays * 86_400_000, maxBytes: config.eventsMaxMb * 1024 * 1024 }
  const events = opened.use(
    await openEventLog(
      store.postgres ? { engine: 'postgres', postgres: store.postgres } : { engine: 'sqlite', path: home.eventsFile },
      { redactor, retention, bodyRate: config.eventSampling === 'off' ? undefined : config.eventSampling, log },
    ),
  )
  const notices = createNotices()
  const signals = createSignals(log)
  const hubId = (await home.key('hub')).toString('hex')
  const telemetry = opened.use(
    createTelemetry({
      collector,
      events,
      isShared: store.engine === 'postgres',
      progressFile: join(home.path, 'telemetry.json'),
      hubId,
      version,
      metrics,
      log,
    }),
  )

  // The engines: the MCP server we are, the MCP servers we call, the programs we run.
  const ofEndpoints = {
    notices,
    log,
    maxConnectionsPerToken: config.maxConnectionsPerToken,
    maxSubscriptionsPerSession: config.maxSubscriptionsPerSession,
    maxCallsPerToken: config.maxCallsPerToken,
    maxCallMembers: config.maxCallMembers,
    connectionIdleMs: config.connectionIdleHours * 3_600_000,
    onConnectionsChange: () => signals.emit('connections-changed', {}),
  }
  const stateKey = await home.key('state')
  const endpoint = createEndpoint({
    ...ofEndpoints,
    records: createConnectionRecords({ store, hubId, endpoint: 'hub' }),
    stateKey,
  })
  const repositoryEndpoint = createEndpoint({
    ...ofEndpoints,
    records: createConnectionRecords({ store, hubId, endpoint: 'repositories' }),
    stateKey: createHmac('sha256', stateKey).update('repositories').digest(),
  })
  const endpoints = [endpoint, repositoryEndpoint]
  const countAll = () => ({
    connections: endpoints.reduce((sum, each) => sum + each.counts().connections, 0),
    listeners: endpoints.reduce((sum, each) => sum + each.counts().listeners, 0),
  })
  for (const each of endpoints) signals.connect({ 'token-ended': ({ token }) => each.dropToken(token) })
  const sessionSocketPlaces = socketPlaces({ home: home.path, runtimeDirectory: environment['XDG_RUNTIME_DIR'] })
  const sockets = createSessionSockets({
    endpoint,
    places: sessionSocketPlaces,
    maxLineBytes: maxBodyBytes,
    log,
  })
  const logins = createUpstreamLogins({
    directory: join(home.path, 'upstream-auth'),
    redirectUrl: `${origin}${loginCallbackPath}`,
    onLoginWanted(connector) {
      log.warn({ connector }, 'an upstream needs a person to log in')
      signals.emit('login-changed', { connector })
    },
  })
  signals.connect({ 'connector-removed': ({ connector }) => logins.forget(connector) })
  const redact = (text: string) => redactor.text(text)
  const directories = { sessions: join(home.path, 'sessions'), workspaces: join(home.path, 'workspaces') }
  const proofOf = (session: string) => createHmac('sha256', stateKey).update(`sandbox of ${session}`).digest('hex')
  const sandboxes = createSandboxes({
    setting: config.sandbox,
    agentPlacesFile: join(home.path, 'agent-places.json'),
    places: {
      dataDirectory: home.path,
      workspaces: directories.workspaces,
      socketDirectories: sessionSocketPlaces.flatMap(({ directory, isOwn }) => (isOwn ? [directory] : [])),
      runtimeDirectory: sessionSocketPlaces.find(({ isOwn }) => !isOwn)?.directory,
      package: packageFile('.'),
      node: process.execPath,
      hubSocket: hubSocket(home.path),
      port,
      proofOf,
    },
  })
  const confineProgram = createConfineProgram({ sandboxes, events, directory: programSocketDirectory(home.path) })
  const confine = createConfineUpstream(confineProgram)
  const upstreams = opened.use(createUpstreams({ homeId: hubId, info, log, redact, logins, confine }))
  const holders = {
    directory: directories.sessions,
    socketDirectory: holderSocketDirectory(home.path),
    version,
    journal: journalLimits(config.journalMaxMb * 1024 * 1024),
  }
  const terminals = createTerminals({ ...holders, scrollbackLines })
  const pipes = createPipedPrograms(holders)

  // The features, each after those it needs.
  const findSession = createFindSession(store)
  const tokens = createTokens({ store, signals, findSession })
  const { sessionFollowBase: base, sessionFollowPath: followPath } = config
  const pages = createPageAddresses({ base, followPath, host, originAt })
  const loginCodes = createLoginCodes({
    store,
    tokens,
    events,
    addressOf: async (session) => pages.forDevice(session && (await findSession(session)).name),
  })
  const maxListBytes = config.upstreamListsMaxMb * 1024 * 1024
  const connectors = createConnectors({
    store,
    notices,
    signals,
    events,
    environment,
    baseEnvironment: upstreamEnvironment(environment),
    startDirectory: join(home.path, 'connectors'),
    redactor,
    log,
    findSession,
    isSandboxRequired: config.sandbox === 'required',
    test: createTrial({ upstreams, logins, maxListBytes }),
    request: createRequestOnce({ upstreams, logins }),
    logins,
  })
  const chat = opened.use(
    createChat({
      store,
      hubId,
      events,
      notices,
      signals,
      redactor,
      environment,
      findSession,
      faceIdOf: compositorId,
      log,
    }),
  )
  const programs = programEnvironment(environment)
  const persons: PersonsEnvironment = {
    forPrograms: async () => withoutVariables(programs, await connectors.variables()),
    passedOn: (names) => passedOn(environment, names),
  }
  const rulePlaces = [join(home.path, 'activity'), packageFile('activity')]
  const pty = createPtyDriver({ terminals, environment: persons, rulePlaces, redact, companions, log })
  const servers = createPipedPrograms({ ...holders, folder: 'server' })
  const threads = createThreads({ store, notices, signals, redactor, findSession })
  const turns = createTurns({ store, hubId, events, threads, findSession, log })
  const models = createModels({
    settings: {
      model: config.model,
      baseUrl: config.modelBaseUrl,
      key: config.modelApiKey,
      contextTokens: config.modelContextTokens,
      environment,
    },
    events,
    redactor,
    placeOf: (session) => turns.placeOf(session),
  })
  const embeddings = embeddingsOf(config)
  const repositories = opened.use(
    createRepositories({
      store,
      hubId,
      notices,
      log,
      async openIndexes() {
        const { openRepositoryIndexes } = await import('./index/index.ts')
        const { reachOfReadingGit } = await import('./git/git.ts')
        const directory = join(home.path, 'indexes')
        const reachOf = (root: string, more: readonly string[]) => reachOfReadingGit(sandboxes, root, more)
        return openRepositoryIndexes({ directory, env: programs, reachOf, log, embeddings })
      },
      pathMap: config.repositoryPathMap,
      places: { home: home.path, workspaces: directories.workspaces },
      models,
    }),
  )
  const model = createModelDriver({
    pty,
    models,
    redact,
    log,
    correlationOf: (session) => turns.placeOf(session)?.correlation,
  })
  const drivers = createDrivers([
    pty,
    createAcpDriver({ pipes, log }),
    createClaudeDriver({ programs: pipes }),
    createCodexDriver({ servers, terminals: pty, key: await home.key('codex'), log }),
    createOpencodeDriver({
      pty,
      plugin: packageFile('plugins/opencode.js'),
      dialogPlugin: packageFile('plugins/opencode-tui.js'),
    }),
    model,
  ])
  const templates = opened.use(
    await openTemplates({
      shippedDirectory: packageFile('templates'),
      userDirectory: join(home.path, 'templates'),
      searchPath: () => programs['PATH'] ?? '',
      drivers: drivers.all.map(({ name }) => name),
      whyNotDriver: (template) => drivers.find(template.driver).whyNot?.(template),
      findRepository: (name) => repositories.find(name),
      notices,
      signals,
      log,
    }),
  )
  sandboxes.guard(() => ({ searchPath: programs['PATH'] ?? '', files: templates.programs() }))
  const grants = createGrants({ store, log })
  const maxEndedBytes = config.endedApprovalsMaxMb * 1024 * 1024
  const policies = createPolicies({
    store,
    hubId,
    events,
    notices,
    signals,
    redactor,
    maxEndedBytes,
    shippedSource: shippedPolicy,
    templatePolicy: (name) => templates.policyOf(name),
    templateNames: () => templates.list().map(({ template }) => template.name),
    findSession,
    grants,
  })
  const chainPolicies = createChainPolicies({ policies, turns })
  const push = createPush({
    store,
    hubId,
    key: await home.key('push'),
    // Push services need a contact address, and refuse one without TLS.
    contact: [base, origin].find((address) => address?.startsWith('https:')) ?? 'mailto:hub@signalbox.invalid',
    rules: { allowsPrivate: config.pushPrivateEndpoints },
    notices,
    isValidToken: async (id) => (await tokens.principalOf(id)) !== undefined,
    log,
  })
  const hooks = { command: config.notifyCommand, url: config.notifyUrl, environment: programs, push: push.channel }
  const approvals = opened.use(
    await openApprovals({
      store,
      hubId,
      notices,
      signals,
      events,
      redactor,
      log,
      holdMs: config.approvalHoldSeconds === undefined ? undefined : config.approvalHoldSeconds * 1000,
      expiryMs: config.approvalExpirySeconds * 1000,
      maxEndedBytes,
      grants,
      policies: chainPolicies,
      findSession,
      hooks,
    }),
  )
  const gate = createGate({ events, policies: chainPolicies, approvals, turns })
  const offered = createOfferedTools()
  const ownTools = createOwnToolGates({ gate, policies: chainPolicies, approvals, offered, log })
  const ownNetwork = createOwnNetwork({ ownTools, events, proofOf })
  signals.connect({ 'session-ended': ({ session }) => ownNetwork.forget(session) })
  const sessions = opened.use(
    createSessions({
      store,
      hubId,
      events,
      notices,
      signals,
      log,
      drivers,
      templates: {
        find: (name) => templates.find(name),
        fillIn: fill,
        seed: async (name, workspace, folder) => (await seedWorkspace(templates.find(name), workspace, folder)).kept,
        ownFiles: async (name) => readIncludes(templates.find(name)),
      },
      tokens: {
        issue: ({ id, name }) => tokens.issue({ role: 'agent', session: id, label: `session ${name}` }),
        revoke: (id) => tokens.revoke(id),
      },
      policies,
      connectors,
      threads,
      turns,
      chat,
      ownTools,
      // The holder's pid is unique to the session and stays the same over restarts of the hub.
      openSocket: ({ id, socketName }, holderPid) =>
        sockets.open({
          name: socketName ?? String(holderPid),
          caller: { tokenId: `socket of ${id}`, role: 'agent', session: id },
        }),
      directories,
      confineProgram,
      environment: persons,
      mcpUrl: localUrl,
      hubSocket: hubSocket(home.path),
      isSharedMachine: async () =>
        config.sharedMachine === 'auto' ? isSharedMachine() : config.sharedMachine === 'yes',
      sandboxes,
      signalbox: signalboxProgram,
      urlOf: pages.ofSession,
      defaultTemplate: config.defaultTemplate,
      jobConcurrency: config.jobConcurrency,
    }),
  )
  const activity = opened.use(createActivity({ sessions, hooks, urlOf: pages.ofSession, log }))
  const gateway = opened.use(
    createGateway({
      store,
      gate,
      policies,
      connectors,
      upstreams,
      notices,
      signals,
      log,
      faceIdOf: compositorId,
      maxSubscriptions: config.maxSubscriptionsPerSession,
      maxListBytes,
      holdsSecret: (text) => holdsKnownSecret(redactor, text),
      findSession,
    }),
  )
  const peers = createPeers({
    sessions,
    turns,
    threads,
    templates,
    places: { home: home.path, workspaces: directories.workspaces },
    hopLimit: config.hopLimit,
    log,
  })
  const routes = createRoutes({
    store,
    file: config.routes && { value: config.routes, from: sources.find(({ key }) => key === 'routes')?.from ?? '' },
    models,
    connectors,
    upstreams,
    sessions,
    askSession: peers.ask,
    events,
    gate,
    refusalError,
    redactor,
  })
  const repositoryMount = repositories.createMount({ sessions, templates })
  const repositoryQueries = createRepositoryQueries({
    settings: config,
    sessions,
    threads,
    templates,
    environment: persons,
    visibleTo: repositoryMount.visibleTo,
    ask: peers.ask,
    sandboxes,
    confineProgram,
    whyNotCodex,
    signInReason,
    redact,
    log,
  })
  const terminalTools = createTerminalTools({ sessions, viewers: createViewers() })
  const prune = createPrune({
    sources: [...sessions.prunable, threads.prunable, tokens.prunable],
    retention: { sessionsMs: daysOf(config.endedSessionsMaxAgeDays), journalsMs: daysOf(config.journalsMaxAgeDays) },
    log,
  })
  const readMemory = atMostEvery(1_000, () => process.memoryUsage.rss())
  const status = createStatus({
    notices,
    read: () => ({
      name: info.name,
      version,
      started_at: startedAt.toISOString(),
      uptime_seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
      store: store.engine,
      sessions: sessions.count,
      ...(repositoryUrl !== undefined && { repository_url: repositoryUrl }),
      ...countAll(),
      events: events.lastSeq,
      memory_bytes: readMemory(),
    }),
  })

  /** In the order in which their tools are listed. */
  const features: readonly Feature[] = [
    status,
    tokens,
    loginCodes,
    createAudit({ events, notices, findSession, threads }),
    telemetry,
    sessions,
    createSessionTools({ sessions, terminalTools, policies, turns }),
    createTemplateTools({ templates, policies, sessions, hubId }),
    terminalTools,
    turns,
    chat,
    createProviderSwitch({ threads, sessions, templates }),
    threads,
    activity,
    connectors,
    connectors.createDesk(gateway),
    gateway,
    policies,
    policies.createTools(gateway),
    approvals,
    push,
    routes,
    repositories,
    repositoryMount,
    repositoryQueries,
    createWorkspaces({ hubId, environment: persons, sandboxes, findSession, threads }),
    prune,
    peers,
    {
      providersOf: (session) => model.providersOf(session),
      on: { 'chat-posted': ({ session, side }) => (side === 'person' ? model.wake(session) : undefined) },
    },
    peers.createMount(routes),
    { providers: parts.providers?.({ notices }) ?? [] },
  ]

  // The faces: what people see, and what agents see.
  const forPeople = features.flatMap(({ providers = [] }) => providers)
  const agentFaces = createAgentFaces({
    info,
    notices,
    signals,
    gateway,
    features,
    terminalOf: (session) => terminalTools.ownProvider({ session, prefix: '' }),
    isReserved: (uri) => ownUris(forPeople)(uri),
  })
  offered.from((session) => agentFaces.toolsOf(session))
  const recordLayer = createRecordLayer({ events, log })
  const management = createFace({
    id: managementFaceId,
    info,
    instructions,
    layers: [createSettleLayer(notices), recordLayer],
    isEssential: ({ name }) => essentialTools.has(name),
    providers: (face) => [
      ...forPeople,
      ...(gateway.createTools(agentFaces).providers ?? []),
      createSearchProvider(face),
    ],
  })
  const faceOf = ({ role, session = '' }: Principal) => (role === 'human' ? management : agentFaces.of(session))
  const repositoryFaceOf = createRepositoryFaces({ info, notices, queries: repositoryQueries, gateway, recordLayer })

  // Restore the state of an earlier hub, before the first request.
  sockets.serve(({ session = '' }) => agentFaces.socketOf(session))
  opened.use(sockets)
  model.serve({ faceOf: (session) => agentFaces.of(session), inboxOf: (session) => chat.inboxOf(session) })
  for (const { on } of [...features, agentFaces]) if (on) signals.connect(on)
  for (const feature of features) await feature.start?.()
  if (!home.isNew) {
    void upstreams.sweepStale().catch((error: unknown) => log.warn({ error }, 'could not look for old upstreams'))
  }
  await endpoint.restore({ principalOf: (id) => tokens.principalOf(id), faceOf })
  await repositoryEndpoint.restore({ principalOf: (id) => tokens.principalOf(id), faceOf: repositoryFaceOf })
  await sessions.restore()

  const graceMs = config.drainGraceSeconds * 1000
  opened.defer(() => Promise.all([http.stop(graceMs), repositoryHttp.stop(graceMs)]).then(() => {}))
  opened.defer(() => approvals.endHolds())
  opened.defer(() => peers.endWaits())
  metrics.gauge('signalbox_sessions', 'Sessions that run.', () => sessions.count)
  metrics.gauge('signalbox_connections', 'Open MCP connections.', () => countAll().connections)
  metrics.gauge('signalbox_listeners', 'Open subscriptions/listen streams.', () => countAll().listeners)
  metrics.gauge('signalbox_events_last_seq', 'Newest cursor of the event log.', () => events.lastSeq)
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  metrics.gauge('nodejs_heap_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed)

  const token = await ensureTokenFile(home.tokenFile, tokens)
  for (const each of endpoints) opened.use(every(30_000, log, () => each.sweep()))
  for (const each of [http, repositoryHttp]) opened.use(every(5_000, log, () => each.refreshCertificate()))
  for (const { everyMs, run } of features.flatMap(({ sweeps = [] }) => sweeps)) opened.use(every(everyMs, log, run))

  const authenticator =
    parts.authenticator ??
    createAuthenticator({
      findPrincipal: (text) => tokens.authenticate(text),
      hasSession: (session) => sessions.isLiving(session),
    })
  repositoryHttp.open({ endpoint: repositoryEndpoint, authenticator, faceOf: repositoryFaceOf })
  http.open({
    endpoint,
    authenticator,
    faceOf,
    async finishLogin(answer) {
      const connector = await logins.finish(answer)
      signals.emit('login-changed', { connector })
      await gateway.restart(connector)
      return connector
    },
    onHook: (session, message, signal) =>
      message.name === ownNetwork.hook
        ? ownNetwork.decide(session, message.body, signal)
        : sessions.hook(session, message, signal),
    async exchangeCode(code) {
      const login = await loginCodes.exchange(code)
      return login && { token: login.text, id: login.id, expires_at: login.expiresAt }
    },
  })
  await home.announce({
    url,
    repository_url: repositoryUrl,
    pid: process.pid,
    version,
    started_at: startedAt.toISOString(),
  })
  await events.append({ type: 'hub-started', payload: { version, pid: process.pid, url } })
  log.debug({ url, version, store: store.engine }, 'the hub is ready')

  const running = opened.move()
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>()
  stopped.catch(() => {})
  let stopping: Promise<void> | undefined
  async function stop(): Promise<void> {
    log.debug({}, 'the hub is stopping')
    await tokens.saveLastUsed()
    // A locked log must not keep the hub from stopping.
    await events.note({ type: 'hub-stopped', payload: {} })
    await running.disposeAsync()
  }
  return {
    url,
    repositoryUrl,
    loginUrl: `${origin}/#token=${token}`,
    stop: () =>
      (stopping ??= stop()
        .then(resolve, reject)
        .then(() => stopped)),
    stopped,
  }
}
