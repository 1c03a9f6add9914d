/** Five hundred clients connect and disconnect for some minutes. The memory of the hub must not grow. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { callTool, type Endpoint } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { collectedMemory, reportsMemory } from './collected-memory.ts'
import { type Behavior, runClient } from './short-lived-client.ts'

const clientCount = 500
const minutes = Number(process.env['SOAK_MINUTES'] ?? 3)
const behaviors: readonly Behavior[] = [
  'legacy, disconnects',
  'legacy, disconnects',
  'legacy, vanishes',
  'modern, vanishes',
]
/** Several tokens, because connections per token are limited and vanished ones count until they are idle long enough. */
const tokenCount = 8

test(`memory stays flat while ${clientCount} clients connect and disconnect`, { timeout: 3_600_000 }, async () => {
  await using home = await createTempHome()
  await using hub = await startHubProcess({
    ...reportsMemory,
    home: home.path,
    env: { SIGNALBOX_CONNECTION_IDLE_HOURS: '0.01', SIGNALBOX_LOG_LEVEL: 'error' },
  })
  const endpoints = await issueTokens(hub)
  const stop = new AbortController()
  let runs = 0
  const clients = Array.from({ length: clientCount }, async (_, index) => {
    while (!stop.signal.aborted) {
      await runClient(endpoints[index % tokenCount] ?? hub, behaviors[runs % behaviors.length] ?? 'legacy, vanishes')
      runs++
    }
  })
  const finished = Promise.all(clients)

  const half = (minutes * 60_000) / 2
  await Promise.race([delay(half), finished])
  const warm = await memory(hub)
  await Promise.race([delay(half), finished])
  const end = await memory(hub)
  stop.abort()
  await finished

  console.log({ minutes, runs, warm, end })
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

/** The median of a few readings, because at any moment some clients are in the middle of a call. */
async function memory(hub: HubProcess): Promise<Memory> {
  const readings: Memory[] = []
  while (readings.length < 5) {
    const { heapUsed, rss } = await collectedMemory(hub)
    readings.push({ heapUsedMb: Math.round(heapUsed / 1e6), rssMb: Math.round(rss / 1e6) })
    await delay(1_000)
  }
  return {
    heapUsedMb: median(readings.map(({ heapUsedMb }) => heapUsedMb)),
    rssMb: median(readings.map(({ rssMb }) => rssMb)),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
