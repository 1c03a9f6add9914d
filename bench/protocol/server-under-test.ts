/** Shared by the servers of this benchmark: their result, and how they announce their port. */
import type { Server } from 'node:http'
import { z } from 'zod'

export type Era = 'legacy' | 'modern'

const toolResult = z.looseObject({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()),
})

/** The hub's result of the same call, passed on by the benchmark. */
export function resultFor(era: Era): z.output<typeof toolResult> {
  return toolResult.parse(JSON.parse(process.env[resultVariable(era)] ?? '{}'))
}

export function resultVariable(era: Era): string {
  return `BENCH_RESULT_${era.toUpperCase()}`
}

export function announce(server: Server): void {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.')
  console.log(`listening on ${address.port}`)
}
