/** Drives one contender over so many lines at once and takes its figures. */
import { percentile } from '../figures.ts'
import type { Contender } from './contenders.ts'
import type { CallLine } from './call-line.ts'

export interface Figures {
  readonly cpuMicrosPerCall: number
  readonly callsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Before anything is measured: V8 optimizes code only once it has run for a while, and here some have more of it. */
export const warmCalls = 20_000

export async function warmUp(contender: Contender): Promise<void> {
  await measure(contender, 16, 0, warmCalls)
}

/** On a busy machine a time alone would be over before a program has warmed up, or used a tick of the clock. */
const fewestCalls = 1_000

export async function measure(
  contender: Contender,
  lineCount: number,
  seconds: number,
  calls = fewestCalls,
): Promise<Figures> {
  const ids = Array.from({ length: lineCount }, (_, id) => id)
  const lines = await Promise.all(ids.map((id) => contender.open(id)))
  const latencies: number[] = []

  async function drive(line: CallLine): Promise<void> {
    while (performance.now() < deadline || latencies.length < calls) {
      const sentAt = performance.now()
      const answer = await line.call()
      latencies.push(performance.now() - sentAt)
      if (!answer.includes(contender.expects)) throw new Error(`${contender.name} answered ${answer}`)
    }
  }

  const cpuBefore = contender.cpuMicros()
  const startedAt = performance.now()
  const deadline = startedAt + seconds * 1000
  await Promise.all(lines.map(drive))
  const elapsedMs = performance.now() - startedAt
  const cpu = contender.cpuMicros() - cpuBefore
  for (const line of lines) line.close()

  return {
    cpuMicrosPerCall: cpu / latencies.length,
    callsPerSecond: (latencies.length / elapsedMs) * 1000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}
