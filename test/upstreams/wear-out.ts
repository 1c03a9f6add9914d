/**
 * A hub whose upstreams die or are unbound again and again, while its agent uses one that is left alone. Leftovers
 * must not add up.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { carriersOf } from '../fixtures/processes.ts'
import { until } from '../fixtures/until.ts'
import { type ConnectorArgs, overStdio, upstreamProgram } from '../worlds/gateway-hub.ts'
import type { Answer, RawClient } from '../gateway/raw-client.ts'
import { connectEndpoint } from '../gateway/raw-wires.ts'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { collectedMemory, reportsMemory } from '../soak/collected-memory.ts'
import { type HubUse, useOf } from './hub-use.ts'
import { serveMortal } from './mortal-address.ts'

/** One upstream for each way to end. */
const lanes = {
  killed: { isProgram: true, isUnbound: false },
  restarted: { isProgram: false, isUnbound: false },
  unbound: { isProgram: true, isUnbound: true },
  released: { isProgram: false, isUnbound: true },
}
type LaneName = keyof typeof lanes

interface WearReport {
  /** After each ending has happened once, and at the end. */
  readonly before: HubUse & Memory
  readonly after: HubUse & Memory
  /** The number of calls to the mount that was left alone, and the answers of those that failed. */
  readonly calls: number
  readonly failures: readonly string[]
  readonly log: string
}

interface Memory {
  readonly heapMb: number
}

interface Lane {
  /** Ends the upstream. Resolves when it, or its successor, works again. */
  again(): Promise<void>
}

/** Ends the upstream of each lane this many times. */
export async function wearOut(times: number): Promise<WearReport> {
  await using home = await createTempHome()
  await using hub = await startHubProcess({
    ...reportsMemory,
    home: home.path,
  })
  await callTool(hub, 'set_policy', { scope: 'hub', source: 'default: allow' })
  await callTool(hub, 'create_session', { name: 'agent', command: 'cat' })
  const { token } = await callTool(hub, 'issue_token', { role: 'agent', session: 'agent' })
  await using agent = await connectEndpoint({ url: hub.url, token: String(token) })
  await bind(hub, 'bystander', overStdio(upstreamProgram('plain-upstream', '--stdio')))
  await until(async () => isHello(await callEcho(agent, 'bystander')))

  const names = Object.keys(lanes) as LaneName[]
  const opened = await Promise.all(names.map((name) => openLane(name, hub, agent)))
  await Promise.all(opened.map((lane) => lane.again()))
  const place = { pid: hub.process.pid!, home: home.path }
  const before = { ...(await settled(place)), ...(await memoryOf(hub)) }

  const failures: string[] = []
  let calls = 0
  let isOver = false
  async function workOn(): Promise<void> {
    for (; !isOver; calls++) {
      const answer = await callEcho(agent, 'bystander')
      if (!isHello(answer)) failures.push(JSON.stringify(answer))
      await pause(20)
    }
  }
  const working = workOn()
  await Promise.all(opened.map((lane) => repeat(times, () => lane.again())))
  isOver = true
  await working
  await vi.waitUntil(() => useOf(place).marked <= before.marked, { timeout: 20_000, interval: 100 }).catch(() => {})
  const after = { ...(await settled(place)), ...(await memoryOf(hub)) }
  return { before, after, calls, failures, log: hub.log() }
}

export function expectNothingLeft({ before, after, calls, failures, log }: WearReport): void {
  expect(calls).toBeGreaterThan(10)
  expect(failures).toEqual([])
  expect(after.marked).toBe(before.marked)
  expect(after.children).toBe(before.children)
  // The agent's sockets to the hub come and go. A leak would be one for each restart.
  expect(after.descriptors).toBeLessThan(before.descriptors + 20)
  expect(after.heapMb).toBeLessThan(before.heapMb * 1.1 + 5)
  expect(log).not.toMatch(/MaxListeners|Warning:/)
}

async function openLane(name: LaneName, hub: HubProcess, agent: RawClient): Promise<Lane> {
  const { isProgram, isUnbound } = lanes[name]
  const address = isProgram ? undefined : await serveMortal()
  const program = upstreamProgram('plain-upstream', '--stdio')
  const mark = `${hub.port}-${name}`
  const connector = address
    ? { transport: 'http', base_url: address.url }
    : overStdio({ ...program, env: { ...program.env, LANE: mark } })
  await bind(hub, name, connector)
  const isOfUse = async () => isHello(await callEcho(agent, name))
  await until(isOfUse)
  return {
    async again() {
      if (isUnbound) {
        await callTool(hub, 'unbind_connector', { session: 'agent', label: name })
        await until(async () => !(await isOfUse()))
        await callTool(hub, 'bind_connector', { session: 'agent', connector: name, label: name })
      } else if (address) {
        await address.dieAndComeBack()
      } else {
        for (const pid of carriersOf(`LANE=${mark}`)) process.kill(pid, 'SIGKILL')
      }
      await until(isOfUse)
    },
  }
}

async function bind(hub: HubProcess, name: string, connector: ConnectorArgs): Promise<void> {
  await callTool(hub, 'save_connector', { name, ...connector })
  await callTool(hub, 'bind_connector', { session: 'agent', connector: name, label: name })
}

function callEcho(agent: RawClient, mount: string): Promise<Answer> {
  return agent.request('tools/call', { name: `${mount}_echo`, arguments: { text: 'hello' } })
}

function isHello({ result }: Answer): boolean {
  return JSON.stringify(result ?? {}).includes('"hello"')
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time++) await work()
}

/** Waits until the last ended upstream is gone. */
async function settled(place: Parameters<typeof useOf>[0]): Promise<HubUse> {
  let last = useOf(place)
  return until(async () => {
    await pause(500)
    const now = useOf(place)
    const isSettled = JSON.stringify(now) === JSON.stringify(last)
    last = now
    return isSettled && now
  })
}

async function memoryOf(hub: HubProcess): Promise<Memory> {
  return { heapMb: Math.round((await collectedMemory(hub)).heapUsed / 1e5) / 10 }
}
