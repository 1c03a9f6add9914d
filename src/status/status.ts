/** hub_status and `resource://hub/status`: what this hub is and how much it holds. */
import { z } from 'zod'
import type { Notices, Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'

export const statusUri = 'resource://hub/status'

const statusSchema = z.object({
  name: z.string(),
  version: z.string(),
  started_at: z.string(),
  uptime_seconds: z.number(),
  store: z.enum(['sqlite', 'postgres']),
  sessions: z.number().describe('Those that run.'),
  connections: z.number(),
  listeners: z.number(),
  events: z.number().describe('The newest cursor of the event log.'),
  memory_bytes: z.number(),
})

export type Status = z.output<typeof statusSchema>

export function createStatusProvider(readStatus: () => Status): Provider {
  const tool = defineTool({
    name: 'hub_status',
    description: 'What this hub is: version, uptime, store, open connections, newest event.',
    input: z.strictObject({}),
    output: statusSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
    alwaysListed: true,
    run: async () => readStatus(),
  })
  const resource = {
    uri: statusUri,
    name: 'hub status',
    description: 'Version, uptime and counts of this hub.',
    mimeType: 'application/json',
    read: async () => ({
      contents: [{ uri: statusUri, mimeType: 'application/json', text: JSON.stringify(readStatus()) }],
    }),
  }
  return { toolset: 'admin', tools: () => [tool], resources: () => [resource] }
}

/** Tells those who watch the status that a count has changed. */
export function noteStatusChange(notices: Notices): void {
  notices.resourceChanged(statusUri)
}
