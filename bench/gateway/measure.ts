/** Measures one contender with a number of concurrent callers. */
import { percentile } from '../figures.ts'
import type { Contender } from './contenders.ts'
import type { Caller } from './caller.ts'

export interface Figures {
  readonly cpuMicrosPerCall: number
  readonly callsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Before the measurement, since V8 optimizes code only after some time, and some contenders have more code. */
export const warmCalls = 20_000

export async function warmUp(contender: Contender): Promise<void> {
  await measure(contender, 16, 0, warmCalls)
}

/** A minimum number of calls: on a busy machine, the time alone might be over before a clock tick is used. */
const minCalls = 1_000

export async function measure(
  contender: Contender,
  connectionCount: number,
  seconds: number,
  calls = minCalls,
): Promise<Figures> {
  const ids = Array.from({ length: connectionCount }, (_, id) => id)
  const callers = await Promise.all(ids.map((id) => contender.open(id)))
  const latencies: number[] = []

  async function drive(caller: Caller): Promise<void> {
    while (performance.now() < deadline || latencies.length < calls) {
      const sentAt = performance.now()
      const answer = await caller.call()
      latencies.push(performance.now() - sentAt)
      if (!answer.includes(contender.expects)) throw new Error(`${contender.name} answered ${answer}`)
    }
  }

  const cpuBefore = contender.cpuMicros()
  const startedAt = performance.now()
  const deadline = startedAt + seconds * 1000
  await Promise.all(callers.map(drive))
  const elapsedMs = performance.now() - startedAt
  const cpu = contender.cpuMicros() - cpuBefore
  for (const caller of callers) caller.close()

  return {
    cpuMicrosPerCall: cpu / latencies.length,
    callsPerSecond: (latencies.length / elapsedMs) * 1000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}
