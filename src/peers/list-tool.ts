/** sessions_list: the other sessions that an agent may ask. */
import { z } from 'zod'
import { activityKinds, sessionStatuses } from '../api/session.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { PeerSessions } from './peer.ts'
import type { ReachablePeers } from './reachable-peers.ts'

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

export function createListTool(
  sessions: Pick<PeerSessions, 'activityOf'>,
  peers: Pick<ReachablePeers, 'list'>,
  self: string,
): Tool {
  return defineTool({
    name: 'sessions_list',
    description: 'The living sessions that you may ask: first those that wait for a person. is_self marks yours.',
    input: z.strictObject({}),
    output: z.object({ sessions: z.array(peerSchema) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run() {
      const living = await peers.list(mostPeers)
      const { waiting = [], others = [] } = Object.groupBy(living, (record) =>
        sessions.activityOf(record).is === 'waiting' ? 'waiting' : 'others',
      )
      return {
        sessions: [...waiting, ...others].map((record) => ({
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
}
