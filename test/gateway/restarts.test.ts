/** Upstreams come and go while the agent runs, and leave nothing behind. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import { patience } from '../worlds/own-hub.ts'
import { overStdio, startGatewayHub, upstreamProgram } from '../worlds/gateway-hub.ts'
import { startHttpUpstream } from '../worlds/upstream-process.ts'
import type { Answer, RawClient } from './raw-client.ts'
import { connectEndpoint } from './raw-wires.ts'

const times = 20

test.each(['stdio', 'http'] as const)(
  'twenty upstreams over %s that were bound and unbound leave no process and no descriptor behind',
  async (transport) => {
    await using hub = await startGatewayHub()
    await using stack = new AsyncDisposableStack()
    const agent = stack.use(await connectEndpoint(await hub.agentOf('agent', {})))
    const program = upstreamProgram('plain-upstream', `--${transport}`)
    const upstream = transport === 'http' ? stack.use(await startHttpUpstream(program)) : undefined
    const connector = upstream ? { transport, base_url: upstream.url } : overStdio(program)
    await hub.call('save_connector', { name: 'up', ...connector })

    async function comeAndGo(): Promise<void> {
      await hub.call('bind_connector', { session: 'agent', connector: 'up', label: 'up' })
      await until(async () => isHello(await callEcho(agent)))
      await hub.call('unbind_connector', { session: 'agent', label: 'up' })
      await until(async () => !isHello(await callEcho(agent)))
    }

    const { pid = 0 } = hub.process
    await comeAndGo()
    const before = await settledUse(pid)
    for (let time = 0; time < times; time++) await comeAndGo()
    await expect.poll(() => useOf(pid).processes, patience).toBe(before.processes)
    // The runtime opens a few for itself in the first busy minute. A leak would be one for each upstream.
    await expect.poll(() => useOf(pid).descriptors, patience).toBeLessThan(before.descriptors + times / 2)
  },
  180_000,
)

interface Use {
  readonly processes: number
  readonly descriptors: number
}

/** Waits until the last detached upstream has ended. */
async function settledUse(pid: number): Promise<Use> {
  let last = useOf(pid)
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const now = useOf(pid)
    const isSettled = now.processes === last.processes && now.descriptors === last.descriptors
    last = now
    return isSettled
  })
  return last
}

/** The hub's open descriptors and its child processes, zombies included. */
function useOf(pid: number): Use {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(parentOf)
  return {
    processes: parents.filter((parent) => parent === pid).length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    return undefined // it has ended meanwhile
  }
}

function callEcho(agent: RawClient): Promise<Answer> {
  return agent.request('tools/call', { name: 'up_echo', arguments: { text: 'hello' } })
}

function isHello({ result }: Answer): boolean {
  return JSON.stringify(result ?? {}).includes('"hello"')
}
