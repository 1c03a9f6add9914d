/** A hub for one test, with its own process and data directory. */
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { fixtureHub, type HubProcess, startHubProcess } from './hub-process.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { exchange } from '../http/exchange.ts'

export interface OwnHub extends HubProcess {
  readonly home: string
  /** Calls a tool without the client under test, and returns its structured content. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /** The value of one metric. */
  metric(name: string): Promise<number>
  /** Resolves when a guided call has reached its tool. */
  isRunning(label: string): Promise<void>
  /** Ends the hub and starts a new one with the same data directory and port. */
  restart(signal: 'SIGTERM' | 'SIGKILL', options?: { awayMs?: number }): Promise<void>
}

export interface OwnHubOptions {
  readonly program?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The limit of file descriptors. */
  readonly maxOpenFiles?: number
  readonly within?: readonly string[]
}

export async function startOwnHub({
  program = fixtureHub,
  env = {},
  maxOpenFiles,
  within = [],
}: OwnHubOptions = {}): Promise<OwnHub> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const limit = { within, ...(maxOpenFiles !== undefined && { maxOpenFiles }) }
  let hub = await startHubProcess({ home: home.path, program, env, ...limit })
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
    async restart(signal, { awayMs = 0 } = {}) {
      await hub.end(signal)
      await setTimeout(awayMs)
      hub = await startHubProcess({ home: home.path, program, env: { ...env, SIGNALBOX_PORT: String(port) }, ...limit })
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** For `expect.poll`: a generous timeout. The assertion ends as soon as it holds. */
export const patience = { timeout: 60_000, interval: 50 }

/** The warnings and errors in the log. A client that misbehaves or disconnects must not cause any. */
export function faultsIn(log: string): readonly string[] {
  const faults = log.split('\n').filter((line) => /"level":"(error|warn)"|Warning:|Error:/.test(line))
  return [...new Set(faults.map((line) => line.replace(/"time":"[^"]*",/, '').slice(0, 300)))]
}
