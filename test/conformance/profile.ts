/**
 * The hub as the conformance suite needs it: the fixtures by their exact names, and no token, since the suite cannot
 * send one. `signalbox up` has no such mode.
 */
import { loadConfig } from '../../src/config/config.ts'
import type { Authenticator } from '../../src/http/authenticator.ts'
import { startHub } from '../../src/hub.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { createFixtureProvider } from './fixture-provider.ts'

export interface Profile extends AsyncDisposable {
  /** With the name `localhost`, which the suite's check for DNS rebinding requires. */
  readonly url: string
}

const openAuthenticator: Authenticator = {
  authenticate: async () => ({
    is: 'authenticated',
    caller: { tokenId: 'conformance', role: 'human', toolsets: ['all'] },
  }),
}

export async function startProfile(): Promise<Profile> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const env = {
    SIGNALBOX_HOME: home.path,
    SIGNALBOX_PORT: '0',
    SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
    SIGNALBOX_LOG_LEVEL: 'error',
  }
  const hub = await startHub(loadConfig({ env }), {
    authenticator: openAuthenticator,
    providers: (deps) => [createFixtureProvider(deps)],
  })
  stack.defer(() => hub.stop())
  const opened = stack.move()
  return {
    url: hub.url.replace('127.0.0.1', 'localhost'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
