/** What the servers of this bench share: the result they give, and how they say where they listen. */
import type { Server } from 'node:http'
import { z } from 'zod'

export type Era = 'legacy' | 'modern'

const toolResult = z.looseObject({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()),
})

/** The result the hub gave to the same call, handed over by the bench. */
export function resultFor(era: Era): z.output<typeof toolResult> {
  return toolResult.parse(JSON.parse(process.env[resultVariable(era)] ?? '{}'))
}

export function resultVariable(era: Era): string {
  return `BENCH_RESULT_${era.toUpperCase()}`
}

export function announce(server: Server): void {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
  console.log(`listening on ${address.port}`)
}
