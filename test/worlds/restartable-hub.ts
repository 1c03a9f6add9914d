/** A hub behind a proxy. It can be stopped, killed and started again while its clients keep their address. */
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts'
import { fixtureHub, type HubExit, type HubProcess, startHubProcess } from './hub-process.ts'
import { callTool, type Endpoint } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'

export interface RestartableHub extends AsyncDisposable {
  /** The address of the proxy, which stays the same. */
  readonly endpoint: Endpoint
  readonly proxy: CuttingProxy
  /** Calls a tool directly, without the proxy. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<HubExit>
  startAgain(): Promise<void>
  /** Starts it again only if it has ended. */
  ensureRunning(): Promise<void>
}

export async function startRestartableHub(): Promise<RestartableHub> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const proxy = stack.use(await startCuttingProxy())
  const start = () => startHubProcess({ home: home.path, program: fixtureHub })

  let hub: HubProcess = await start()
  stack.defer(() => hub[Symbol.asyncDispose]())
  proxy.aimAt(hub.port)

  async function startAgain(): Promise<void> {
    hub = await start()
    proxy.aimAt(hub.port)
  }

  const opened = stack.move()
  return {
    endpoint: { url: proxy.url, token: hub.token },
    proxy,
    call: (tool, args) => callTool(hub, tool, args),
    end: (signal) => hub.end(signal),
    startAgain,
    async ensureRunning() {
      if (hub.process.exitCode !== null || hub.process.signalCode !== null) await startAgain()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
