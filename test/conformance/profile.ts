/**
 * The hub as the conformance suite needs it: the fixtures by their exact names, and no token, since the suite cannot
 * send one. `signalbox up` has no such mode.
 */
import { loadConfig } from '../../src/config/config.ts'
import type { Gate } from '../../src/http/gate.ts'
import { startHub } from '../../src/hub.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { createFixtureProvider } from './fixture-provider.ts'

export interface Profile extends AsyncDisposable {
  /** By the name `localhost`, which the check for DNS rebinding insists on. */
  readonly url: string
}

const openGate: Gate = {
  admit: async () => ({ is: 'admitted', caller: { tokenId: 'conformance', role: 'human', toolsets: ['all'] } }),
}

export async function startProfile(): Promise<Profile> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const env = { SIGNALBOX_HOME: home.path, SIGNALBOX_PORT: '0', SIGNALBOX_LOG_LEVEL: 'error' }
  const hub = await startHub(loadConfig({ env }), {
    gate: openGate,
    providers: (deps) => [createFixtureProvider(deps)],
  })
  stack.defer(() => hub.stop())
  const opened = stack.move()
  return {
    url: hub.url.replace('127.0.0.1', 'localhost'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
