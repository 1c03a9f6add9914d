/** Measures one contender with a number of concurrent callers. */
import { percentile } from '../figures.ts'
import type { Contender } from './contenders.ts'
import { type HttpConnection, openConnection } from './http-connection.ts'

export interface Figures {
  readonly cpuMicrosPerCall: number
  readonly callsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export async function measure(contender: Contender, connectionCount: number, callCount: number): Promise<Figures> {
  const requests = contender.requests.slice(0, connectionCount)
  const connections = await Promise.all(
    requests.map(async (request) => ({ request, connection: await openConnection(contender.port) })),
  )
  const latencies: number[] = []
  let left = callCount

  async function drive({ connection, request }: { connection: HttpConnection; request: Buffer }): Promise<void> {
    while (left-- > 0) {
      const sentAt = performance.now()
      const { status, body } = await connection.exchange(request)
      latencies.push(performance.now() - sentAt)
      if (status !== 200 || !body.includes('"result"')) throw new Error(`${contender.name} answered ${status}: ${body}`)
    }
  }

  const cpuBefore = await contender.cpuMicros()
  const startedAt = performance.now()
  await Promise.all(connections.map(drive))
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = (await contender.cpuMicros()) - cpuBefore
  for (const { connection } of connections) connection.close()

  return {
    cpuMicrosPerCall: cpu / callCount,
    callsPerSecond: callCount / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}
