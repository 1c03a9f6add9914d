/** Drives one contender over so many lines at once and takes its figures. */
import { percentile } from '../figures.ts'
import type { Contender } from './contenders.ts'
import { type HttpLine, openLine } from './http-line.ts'

export interface Figures {
  readonly cpuMicrosPerCall: number
  readonly callsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export async function measure(contender: Contender, lineCount: number, callCount: number): Promise<Figures> {
  const requests = contender.requests.slice(0, lineCount)
  const lines = await Promise.all(requests.map(async (request) => ({ request, line: await openLine(contender.port) })))
  const latencies: number[] = []
  let left = callCount

  async function drive({ line, request }: { line: HttpLine; request: Buffer }): Promise<void> {
    while (left-- > 0) {
      const sentAt = performance.now()
      const { status, body } = await line.exchange(request)
      latencies.push(performance.now() - sentAt)
      if (status !== 200 || !body.includes('"result"')) throw new Error(`${contender.name} said ${status}: ${body}`)
    }
  }

  const cpuBefore = await contender.cpuMicros()
  const startedAt = performance.now()
  await Promise.all(lines.map(drive))
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = (await contender.cpuMicros()) - cpuBefore
  for (const { line } of lines) line.close()

  return {
    cpuMicrosPerCall: cpu / callCount,
    callsPerSecond: callCount / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}
