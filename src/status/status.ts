/** `hub_status` and `resource://hub/status`: version, store and counts of this hub. */
import { z } from 'zod'
import type { Feature } from '../feature/feature.ts'
import type { Notices, Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'

const statusUri = 'resource://hub/status'

const statusSchema = z.object({
  name: z.string(),
  version: z.string(),
  started_at: z.string(),
  uptime_seconds: z.number(),
  store: z.enum(['sqlite', 'postgres']),
  sessions: z.number().describe('Running sessions.'),
  repository_url: z.string().optional().describe('The MCP endpoint for questions about repositories.'),
  connections: z.number(),
  listeners: z.number(),
  events: z.number().describe('The newest cursor of the event log.'),
  memory_bytes: z.number(),
})

export type Status = z.output<typeof statusSchema>

export interface StatusOptions {
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly read: () => Status
}

export function createStatus({ notices, read }: StatusOptions): Feature {
  const provider = createStatusProvider(read)
  const tell = () => notices.resourceChanged(statusUri)
  return {
    providers: [provider],
    providersOf: () => [provider],
    on: { 'tokens-changed': tell, 'connections-changed': tell, 'session-ended': tell },
  }
}

export function createStatusProvider(readStatus: () => Status): Provider {
  const tool = defineTool({
    name: 'hub_status',
    description: 'The version, uptime, store, connections and newest event of this hub.',
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
