/**
 * A program that prints what takes long to draw, without end: the calls of others, a stop and the end of the hub do not
 * wait for it.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { callTool } from '../harness/modern-call.ts'
import { type GateWorld, startGateWorld } from '../worlds/gate-world.ts'
import { collectedMemory, reportsMemory } from '../soak/collected-memory.ts'
import { cpuMs, floods, health, writeFlood } from '../soak/terminal-floods.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { startHubProcess } from '../worlds/hub-process.ts'

const loud = ['reset', 'insert lines']
const textBytes = 4_000_000
const patience = { timeout: 60_000, interval: 50 }

test('while sessions flood their screens, others are answered, and a kill and SIGTERM wait for no drawing', async () => {
  const world = await startGateWorld()
  await world.setPolicy('default: allow\nrules: [{ ask: "terminal_*" }]')
  const sessions = await Promise.all(loud.map((flood) => startFlood(world, flood)))
  for (const session of sessions) {
    // Far more than could be drawn by then.
    await expect.poll(() => printedBytes(session), patience).toBeGreaterThan(5_000_000)
  }

  const before = { printed: sessions.map(printedBytes), cpuMs: cpuMs(world.process.pid!) }
  expect(await health(world)).toMatch(/ok/)
  expect(await world.call('get_session', { name: 'agent' })).toMatchObject({ status: 'running' })
  const asked = callTool(world.agent, 'terminal_send_text', { text: 'no' })
  asked.catch(() => {})
  await world.decide(await world.pending(), 'deny')
  await expect(asked).rejects.toThrow()
  await world.call('read_output', { session: sessions[0]!.name, since: -1_024, timeout_ms: 0 })
  expect(await world.call('tail_log', { name: sessions[0]!.name, lines: 3 })).toHaveProperty('log')
  for (const [index, session] of sessions.entries()) {
    expect(printedBytes(session), 'the flood still runs').toBeGreaterThan(before.printed[index]!)
  }

  const beforeKill = cpuMs(world.process.pid!)
  expect(await world.call('kill_session', { name: sessions[0]!.name })).toMatchObject({ status: 'stopped' })
  expect(printedBytes(sessions[1]!), 'the other flood still runs').toBeGreaterThan(before.printed[1]!)
  expect(cpuMs(world.process.pid!) - beforeKill).toBeLessThan(3_000)

  const beforeEnd = printedBytes(sessions[1]!)
  const { code } = await world.end('SIGTERM')
  expect(code).toBe(0)
  await expect.poll(() => printedBytes(sessions[1]!), patience).toBeGreaterThan(beforeEnd)
  await world[Symbol.asyncDispose]()
}, 180_000)

test('titles and other texts without end take no memory', async () => {
  await using home = await createTempHome()
  await using hub = await startHubProcess({ ...reportsMemory, home: home.path })
  const heldMb = async () => {
    const { heapUsed, external } = await collectedMemory(hub)
    return (heapUsed + external) / 1e6
  }
  await callTool(hub, 'create_session', {
    name: 'quiet',
    command: 'echo ready; cat',
    wait: { for: 'text', value: 'ready' },
  })
  const before = await heldMb()
  for (const [name, begin] of Object.entries({ title: '\\033]0;', sixels: '\\033Pq', directory: '\\033]7;' })) {
    const command = `stty raw -echo; printf '${begin}'; head -c ${textBytes} /dev/zero | tr '\\0' t; cat`
    await callTool(hub, 'create_session', { name, command })
    const drawn = async () => Number((await callTool(hub, 'read_screen', { session: name }))['offset'])
    await expect.poll(drawn, patience).toBeGreaterThan(textBytes)
  }
  expect((await heldMb()) - before).toBeLessThan(40)
}, 120_000)

async function startFlood(world: GateWorld, flood: string): Promise<Session> {
  const command = writeFlood(world.home, flood, floods[flood]!)
  const name = flood.replace(' ', '-')
  return (await world.call('create_session', { name, command })) as unknown as Session
}

/** How far the journal is, which does not depend on the hub. */
function printedBytes({ log_path }: Session): number {
  const last = readdirSync(log_path)
    .filter((file) => file.endsWith('.raw'))
    .toSorted()
    .at(-1)!
  return Number(last.slice(0, 16)) + (statSync(join(log_path, last), { throwIfNoEntry: false })?.size ?? 0)
}
