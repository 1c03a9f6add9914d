/** The socket of a session as the hub opens it, in the process of the test, with the fixtures and probes as tools. */
import { createConnectionRecords } from '../../src/connections/connections.ts'
import { createLog } from '../../src/base/log.ts'
import type { Principal } from '../../src/base/principal.ts'
import { createRedactor } from '../../src/base/redact.ts'
import type { SocketPlace } from '../../src/base/socket-places.ts'
import type { Endpoint, Face } from '../../src/endpoint/endpoint.ts'
import { createEndpoint, createFace } from '../../src/endpoint/endpoint.ts'
import type { Provider } from '../../src/mcp/mcp.ts'
import { createNotices, managementFaceId } from '../../src/mcp/mcp.ts'
import { createSessionSockets, type SessionSocket, type SessionSockets } from '../../src/socket/socket.ts'
import { createStatusProvider } from '../../src/status/status.ts'
import { openStore } from '../../src/store/store.ts'
import { createFixtureProvider } from '../conformance/fixture-provider.ts'
import { type LineClient, openLines } from '../harness/line-client.ts'
import { createProbeProvider } from '../harness/probe-provider.ts'
import { createTempHome } from '../harness/temp-home.ts'

export interface SocketHub extends AsyncDisposable {
  readonly home: string
  readonly endpoint: Endpoint
  readonly sockets: SessionSockets
  readonly face: Face
  readonly caller: Principal
  /** Opens the socket of a session. */
  open(name: string): Promise<SessionSocket>
  /** The errors and warnings of its log. */
  faults(): readonly string[]
}

export interface SocketHubOptions {
  readonly places?: (home: string) => readonly SocketPlace[]
  readonly maxLineBytes?: number
  readonly maxConnectionsPerToken?: number
  readonly providers?: readonly Provider[]
}

export async function startSocketHub(options: SocketHubOptions = {}): Promise<SocketHub> {
  const { maxLineBytes = 4 * 1024 * 1024, maxConnectionsPerToken = 256, providers = [] } = options
  await using stack = new AsyncDisposableStack()
  const { path: home } = stack.use(await createTempHome())
  const store = stack.use(await openStore({ sqliteDir: home }))
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    redactor: createRedactor(),
    destination: { write: (line) => lines.push(line) },
  })
  const notices = createNotices()
  const face = createFace({
    id: managementFaceId,
    info: { name: 'signalbox', version: '1.0.0' },
    instructions: 'A session of a test.',
    providers: [
      createStatusProvider(() => statusOf(endpoint)),
      createFixtureProvider({ notices }),
      createProbeProvider({ notices }),
      ...providers,
    ],
  })
  const caller: Principal = { tokenId: 'socket:test', role: 'agent', session: 'test' }
  const endpoint = createEndpoint({
    records: createConnectionRecords({ store, hubId: 'test', endpoint: 'hub' }),
    notices,
    log,
    stateKey: new Uint8Array(32).fill(1),
    maxConnectionsPerToken,
    maxSubscriptionsPerSession: 1_000,
    maxCallsPerToken: 256,
    maxCallMembers: 10_000,
    connectionIdleMs: 3_600_000,
    onConnectionsChange: () => {},
  })
  const places = options.places?.(home) ?? [{ directory: `${home}/run`, isOwn: true }]
  const sockets = stack.use(createSessionSockets({ endpoint, places, maxLineBytes, log }))
  sockets.serve(() => face)
  const opened = stack.move()
  return {
    home,
    endpoint,
    sockets,
    face,
    caller,
    open: (name) => sockets.open({ name, caller }),
    faults: () => lines.filter((line) => /"level":"(error|warn)"/.test(line)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The socket of one session, with a client that is separate from the clients under test. */
export interface TestSocket extends AsyncDisposable {
  readonly path: string
  readonly hub: SocketHub
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

export async function openTestSocket(name = 'test', options: SocketHubOptions = {}): Promise<TestSocket> {
  await using stack = new AsyncDisposableStack()
  const hub = stack.use(await startSocketHub(options))
  const { path } = await hub.open(name)
  const own: LineClient = stack.use(await openLines(path))
  const opened = stack.move()
  return {
    path,
    hub,
    call: (tool, args) => own.callTool(tool, args),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function statusOf(endpoint: Endpoint) {
  return {
    name: 'signalbox',
    version: '1.0.0',
    started_at: new Date(0).toISOString(),
    uptime_seconds: 0,
    store: 'sqlite' as const,
    sessions: 0,
    ...endpoint.counts(),
    events: 0,
    memory_bytes: 0,
  }
}
