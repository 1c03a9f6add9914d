/** A hub of the test's own, in a process and a data directory that nobody else uses. */
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type HubProcess, startHubProcess } from '../harness/hub-process.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { exchange } from './exchange.ts'

export interface OwnHub extends HubProcess {
  readonly home: string
  /** Calls a tool behind the back of the client under test, and answers its structured content. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /** One number of `/metrics`. */
  metric(name: string): Promise<number>
  /** Waits until a guided call has reached its tool. */
  isRunning(label: string): Promise<void>
  /** Ends the hub and starts the next one on the same data directory and port. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

export interface OwnHubOptions {
  readonly program?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** With the tools of `rough-hub.ts`. */
export const roughHub = [fileURLToPath(new URL('rough-hub.ts', import.meta.url))]

export async function startOwnHub({ program = roughHub, env = {} }: OwnHubOptions = {}): Promise<OwnHub> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  let hub = await startHubProcess({ home: home.path, program, env })
  stack.defer(() => hub[Symbol.asyncDispose]())
  const { url, port, token } = hub
  const opened = stack.move()
  return {
    home: home.path,
    url,
    port,
    token,
    get process() {
      return hub.process
    },
    log: () => hub.log(),
    end: (signal) => hub.end(signal),
    call: (tool, args) => callTool({ url, token }, tool, args),
    async metric(name) {
      const { text } = await exchange({ port, token }, { method: 'GET', path: '/metrics', token: null })
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    },
    async isRunning(label) {
      const calls = () => callTool({ url, token }, 'test_calls')
      await expect.poll(calls, patience).toMatchObject({ running: expect.arrayContaining([label]) })
    },
    async restart(signal) {
      await hub.end(signal)
      hub = await startHubProcess({ home: home.path, program, env: { ...env, SIGNALBOX_PORT: String(port) } })
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** For what takes as long as a hub takes; the assertion ends as soon as it holds. */
export const patience = { timeout: 20_000, interval: 20 }

/** What the hub complained of: a client that misbehaves, or leaves, is no fault of the hub's. */
export function faultsIn(log: string): readonly string[] {
  const faults = log.split('\n').filter((line) => /"level":"(error|warn)"|Warning:|Error:/.test(line))
  return [...new Set(faults.map((line) => line.replace(/"time":"[^"]*",/, '').slice(0, 300)))]
}
