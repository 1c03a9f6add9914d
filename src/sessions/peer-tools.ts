/** The mount `sessions` of a compositor: who else is there. */
import { z } from 'zod'
import { activityKinds, isOver, sessionStatuses } from '../api/session.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { Sessions } from './sessions.ts'

const peerSchema = z.object({
  name: z.string(),
  template: z.string(),
  status: z.enum(sessionStatuses),
  activity: z.enum(activityKinds),
  description: z.string().optional(),
  labels: z.array(z.string()),
  is_self: z.boolean(),
})

const mostPeers = 200

export function createPeerProvider(sessions: Pick<Sessions, 'list' | 'activityOf'>, self: string): Provider {
  const tool = defineTool({
    name: 'sessions_list',
    description: 'The sessions that run on this hub, newest first; this one is marked.',
    input: z.strictObject({}),
    output: z.object({ sessions: z.array(peerSchema) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run() {
      const all = await sessions.list({ limit: mostPeers })
      const peers = all.filter(({ status }) => !isOver(status))
      return {
        sessions: peers.map((record) => ({
          name: record.name,
          template: record.template,
          status: record.status,
          activity: sessions.activityOf(record).is,
          description: record.description,
          labels: [...record.labels],
          is_self: record.id === self,
        })),
      }
    },
  })
  return { toolset: 'sessions', tools: () => [tool] }
}
