import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GateWorld, startGateWorld } from '../worlds/gate-world.ts'
import { type FloodTimes, floods, measureFlood, residentMb, timed, writeFlood } from './terminal-floods.ts'

const floodMs = 6_000
const aimMs = 200
const aimToStopMs = 3_000
const atOnce = 8

let world: GateWorld
const table: FloodTimes[] = []
const creations: number[] = []
let stopMs = 0

beforeAll(async () => {
  world = await startGateWorld()
  await world.setPolicy('default: allow\nrules: [{ ask: "terminal_*" }]')
})
afterAll(async () => {
  console.table(
    table.map((row) => ({ ...row, megabytes: row.megabytes.toFixed(1), cpuShare: row.cpuShare.toFixed(2) })),
  )
  console.log(`create_session beside floods: ${creations.join(', ')} ms`)
  console.log(`SIGTERM with ${atOnce} floods: ${stopMs} ms (aim: ${aimToStopMs}); the aim of the others is ${aimMs} ms`)
  await world[Symbol.asyncDispose]()
})

const only = process.env['FLOOD']
test.for(Object.keys(floods).filter((flood) => only === undefined || flood === only))(
  'others are answered during a flood of: %s',
  { timeout: 120_000 },
  async (flood) => {
    const times = await measureFlood(world, flood, floodMs)
    table.push(times)
    expect(times.residentMb).toBeLessThan(800)
  },
)

test('SIGTERM ends the hub during floods', { timeout: 600_000 }, async () => {
  for (const [index, flood] of [
    'reset',
    'scroll up',
    'insert lines',
    'alternate screen',
    'repeat a character',
    'plain text',
    'long titles',
    'erase the screen',
  ].entries()) {
    const command = writeFlood(world.home, flood, floods[flood]!)
    creations.push(await timed(() => world.call('create_session', { name: `flood-${index}`, command, sandbox: 'off' })))
  }
  await new Promise((resolve) => setTimeout(resolve, floodMs))
  expect(residentMb(world.process.pid!)).toBeLessThan(800)
  stopMs = await timed(() => world.end('SIGTERM'))
})
