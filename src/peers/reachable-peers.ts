/** The other sessions, as the agent of one session may find them, ask them and read from them. */
import { answeringTemplate } from '../api/repository.ts'
import { livingStatuses } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import { assertMayReach, mayReach } from './may-reach.ts'
import type { PeerRecord, PeerSessions } from './peer.ts'

export interface ReachablePeers {
  /** By name or id. Throws if there is no such session. */
  find(nameOrId: string): Promise<PeerRecord>
  /** A living session from which the agent may read. Throws otherwise. */
  findToRead(nameOrId: string): Promise<PeerRecord>
  /** The living sessions that the agent may reach. */
  list(limit: number): Promise<readonly PeerRecord[]>
  /** Those whose program runs under this hub, also if the agent may not reach them. */
  running(): readonly PeerRecord[]
}

/** `self`: the id of the session whose agent looks. */
export function createReachablePeers(
  sessions: Pick<PeerSessions, 'find' | 'list' | 'running'>,
  self: string,
): ReachablePeers {
  // A conversation with the repository port belongs to the one who began it.
  const isPeer = ({ id, template }: PeerRecord) => template !== answeringTemplate || id === self

  async function find(nameOrId: string): Promise<PeerRecord> {
    const peer = await sessions.find(nameOrId)
    if (isPeer(peer)) return peer
    throw new HubError('not-found', `"${peer.name}" answers questions about a repository, and no other agent.`)
  }

  return {
    find,
    async findToRead(nameOrId) {
      const peer = await find(nameOrId)
      assertMayReach(await sessions.find(self), peer)
      if (livingStatuses.includes(peer.status)) return peer
      throw new HubError('not-found', `"${peer.name}" has ended.`)
    },
    async list(limit) {
      const caller = await sessions.find(self)
      const living = await sessions.list({ statuses: livingStatuses, limit })
      return living.filter((peer) => isPeer(peer) && mayReach(caller, peer))
    },
    running: () => sessions.running().filter(isPeer),
  }
}
