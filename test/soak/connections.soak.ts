/** Five hundred clients that come and go, for some minutes. What they leave behind must not add up. */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type HubProcess, startHubProcess } from '../harness/hub-process.ts'
import { callTool, type Endpoint } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { type Manner, visit } from './visitor.ts'

const visitorCount = 500
const minutes = Number(process.env['SOAK_MINUTES'] ?? 3)
const manners: readonly Manner[] = [
  'legacy, says goodbye',
  'legacy, says goodbye',
  'legacy, vanishes',
  'modern, vanishes',
]
/** A token may hold so many connections; vanished ones count until they are found idle. */
const tokenCount = 8

test(`memory stays flat under ${visitorCount} connections that come and go`, { timeout: 3_600_000 }, async () => {
  await using home = await createTempHome()
  await using hub = await startHubProcess({
    home: home.path,
    nodeFlags: ['--expose-gc', '--import', new URL('report-memory.ts', import.meta.url).href],
    ipc: true,
    env: { SIGNALBOX_CONNECTION_IDLE_HOURS: '0.01', SIGNALBOX_LOG_LEVEL: 'error' },
  })
  const endpoints = await issueTokens(hub)
  const stop = new AbortController()
  let visits = 0
  const visitors = Array.from({ length: visitorCount }, async (_, index) => {
    while (!stop.signal.aborted) {
      await visit(endpoints[index % tokenCount] ?? hub, manners[visits % manners.length] ?? 'legacy, vanishes')
      visits++
    }
  })
  const finished = Promise.all(visitors)

  const half = (minutes * 60_000) / 2
  await Promise.race([delay(half), finished])
  const warm = await memory(hub)
  await Promise.race([delay(half), finished])
  const end = await memory(hub)
  stop.abort()
  await finished

  console.log({ minutes, visits, warm, end })
  expect(end.heapUsedMb).toBeLessThan(warm.heapUsedMb * 1.1 + 3)
  expect(end.rssMb).toBeLessThan(warm.rssMb * 1.1 + 10)
})

async function issueTokens(hub: Endpoint): Promise<readonly Endpoint[]> {
  const issued = Array.from({ length: tokenCount }, () =>
    callTool(hub, 'issue_token', { role: 'human', label: 'soak' }),
  )
  return (await Promise.all(issued)).map((answer) => ({ url: hub.url, token: z.string().parse(answer['token']) }))
}

interface Memory {
  readonly heapUsedMb: number
  readonly rssMb: number
}

const memoryUsage = z.object({ heapUsed: z.number(), rss: z.number() })

/** The median of a few looks: at any moment some clients are in the middle of something. */
async function memory(hub: HubProcess): Promise<Memory> {
  const looks: Memory[] = []
  while (looks.length < 5) {
    const answer = once(hub.process, 'message')
    hub.process.send('memory')
    const { heapUsed, rss } = memoryUsage.parse((await answer)[0])
    looks.push({ heapUsedMb: Math.round(heapUsed / 1e6), rssMb: Math.round(rss / 1e6) })
    await delay(1_000)
  }
  return {
    heapUsedMb: median(looks.map(({ heapUsedMb }) => heapUsedMb)),
    rssMb: median(looks.map(({ rssMb }) => rssMb)),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
