/** The conformance fixtures behind our own endpoint, without any tool of a hub. */
import { createLog } from '../../../src/base/log.ts'
import type { Principal } from '../../../src/base/principal.ts'
import { createRedactor } from '../../../src/base/redact.ts'
import { createConnectionRecords } from '../../../src/connections/connections.ts'
import type { Endpoint, Face } from '../../../src/endpoint/endpoint.ts'
import { createEndpoint, createFace } from '../../../src/endpoint/endpoint.ts'
import { createNotices, managementFaceId } from '../../../src/mcp/mcp.ts'
import { openStore } from '../../../src/store/store.ts'
import { createFixtureProvider } from '../../conformance/fixture-provider.ts'
import { createTempHome } from '../../harness/temp-home.ts'

export interface FixtureEndpoint extends AsyncDisposable {
  readonly endpoint: Endpoint
  readonly face: Face
  readonly caller: Principal
}

export const log = createLog({ level: 'error', redactor: createRedactor() })

export async function openFixtureEndpoint(): Promise<FixtureEndpoint> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const store = stack.use(await openStore({ sqliteDir: home.path }))
  const notices = createNotices()
  const caller: Principal = { tokenId: 'upstream', role: 'human', toolsets: ['all'] }
  const face = createFace({
    id: managementFaceId,
    info: { name: 'conformance-upstream', version: '1.0.0' },
    instructions: 'The fixtures of the conformance suite.',
    providers: [createFixtureProvider({ notices })],
  })
  const endpoint = createEndpoint({
    records: createConnectionRecords({ store, hubId: 'conformance-upstream', endpoint: 'hub' }),
    notices,
    log,
    stateKey: new Uint8Array(32).fill(1),
    maxConnectionsPerToken: 1_000,
    maxSubscriptionsPerSession: 1_000,
    maxCallsPerToken: 256,
    maxCallMembers: 10_000,
    connectionIdleMs: 3_600_000,
    onConnectionsChange: () => {},
  })
  const opened = stack.move()
  return { endpoint, face, caller, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
