/** The memory that a hub holds after a garbage collection, so that garbage does not count. */
import { once } from 'node:events'
import { z } from 'zod'
import type { HubProcess, HubProcessOptions } from '../worlds/hub-process.ts'

/** Options for `startHubProcess` that let `collectedMemory` ask the hub. */
export const reportsMemory = {
  nodeFlags: ['--expose-gc', '--import', new URL('report-memory.ts', import.meta.url).href],
  ipc: true,
} satisfies Partial<HubProcessOptions>

const memoryUsage = z.object({ heapUsed: z.number(), external: z.number(), rss: z.number() })

export async function collectedMemory(hub: HubProcess): Promise<z.infer<typeof memoryUsage>> {
  const answer = once(hub.process, 'message')
  hub.process.send('memory')
  return memoryUsage.parse((await answer)[0])
}
