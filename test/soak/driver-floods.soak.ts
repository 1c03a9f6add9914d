/** Programs send messages without end, in each protocol. People and other sessions must not notice. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { Dialect } from '../worlds/flooded-hub.ts'
import { openFloodedHub, quiet } from '../worlds/flooded-hub.ts'

const floods: Readonly<Record<Dialect, readonly string[]>> = {
  claude: [
    'calls',
    'same call',
    'long calls',
    'heavy calls',
    'hooks',
    'free hooks',
    'questions',
    'unknown',
    'texts',
    'long texts',
    'tool uses',
    'heavy texts',
    'deltas',
    'long deltas',
    'long questions',
    'long ids',
    'garbage',
    'empty',
  ],
  acp: [
    'calls',
    'same call',
    'undescribed calls',
    'texts',
    'long texts',
    'tools',
    'heavy',
    'unknown',
    'long ids',
    'garbage',
  ],
  codex: [
    'calls',
    'same call',
    'questions',
    'long questions',
    'texts',
    'long texts',
    'deltas',
    'long deltas',
    'long methods',
    'patches',
    'threads',
    'long threads',
    'heavy',
    'garbage',
  ],
}
const only = process.env['FLOOD']
const floodMs = 5_000
const table: object[] = []
afterAll(() => console.table(table))

const rows = Object.entries(floods).flatMap(([dialect, kinds]) => kinds.map((kind) => [dialect, kind] as const))

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return Math.round(performance.now() - start)
}

test.for(rows.filter(([dialect, kind]) => only === undefined || `${dialect} ${kind}`.includes(only)))(
  'a flood of %s %s',
  { timeout: 300_000 },
  async ([dialect, kind]) => {
    await using world = await openFloodedHub()
    const { hub, call } = world
    const memory = async () => Math.round(Number((await call('hub_status', {}))['memory_bytes']) / 1e6)
    const before = await memory()
    await world.flood('flooder', dialect as Dialect, kind)
    const pings: number[] = []
    const ping = () =>
      timed(() => fetch(`http://127.0.0.1:${hub.port}/healthz`, { signal: AbortSignal.timeout(60_000) }))
    const until = performance.now() + floodMs
    const approvals: number[] = []
    while (performance.now() < until) {
      pings.push(await ping())
      await sleep(100)
      if (pings.length % 10 === 0) {
        approvals.push(
          await timed(async () => {
            const { id } = await world.nextApproval()
            await call('decide_approval', { id, decision: 'approve' })
          }),
        )
      }
    }
    const after = await memory()
    const sent = await world.sentBy('flooder')
    const pending = (await world.pendingOf('flooder')).length
    const { last_message: said, status } = await call('get_session', { name: 'flooder' })
    const kill = await timed(() => call('kill_session', { name: 'flooder' }))
    await call('get_session', { name: quiet })
    await world.flood('second', dialect as Dialect, kind)
    await sleep(3_000)
    const exited = once(hub.process, 'exit')
    const term = await timed(async () => {
      hub.process.kill('SIGTERM')
      await exited
    })
    table.push({
      flood: `${dialect} ${kind}`,
      sent,
      pings: pings.length,
      'longest ping': Math.max(...pings),
      'longest approval': Math.max(...approvals),
      kill,
      SIGTERM: term,
      MB: `${before} → ${after}`,
      pending,
      status,
      said: JSON.stringify(said ?? '').slice(0, 60),
    })
    console.log(JSON.stringify(table.at(-1)))
    expect(hub.process.exitCode).toBe(0)
  },
)
