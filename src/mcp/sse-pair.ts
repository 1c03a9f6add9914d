/**
 * HTTP+SSE of 2024-11-05: one stream that carries everything to the client, and a second address for what it sends.
 * Old clients still try it. Such a connection lives as long as its stream.
 */
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Notices } from './notices.ts'
import type { Body } from './parse.ts'
import { asMessage, withExactNumbers } from './parse.ts'
import type { Outlet } from './reply.ts'
import type { StreamConnection } from './stream-connection.ts'
import { createStreamConnection } from './stream-connection.ts'
import type { Visit } from './visit.ts'
import { errorCode, failure, isRequest, RpcError } from './wire.ts'

export interface SsePairs {
  readonly size: number
  readonly isBusy: boolean
  /** Checks first; then joined to a stream it answers the id that the client sends its messages to. */
  open(visit: Visit): (outlet: Outlet) => string
  post(id: string, body: Body, visit: Visit): void
  /** Of one token, or of all. */
  endAll(reason: RpcError, tokenId?: string): void
}

interface Pair {
  readonly tokenId: string
  readonly outlet: Outlet
  readonly connection: StreamConnection
}

export function createSsePairs(options: { notices: Notices; log: Log; maxPerToken: number }): SsePairs {
  const { notices, log, maxPerToken } = options
  const pairs = new Map<string, Pair>()

  return {
    get size() {
      return pairs.size
    },
    get isBusy() {
      return pairs.values().some(({ connection }) => connection.isBusy)
    },
    open({ caller: { tokenId }, toolsets }) {
      if ([...pairs.values()].filter((pair) => pair.tokenId === tokenId).length >= maxPerToken) {
        throw new HubError('busy', `This token has ${maxPerToken} streams open, the most it may. Close one first.`)
      }
      return (outlet) => {
        const id = randomBytes(18).toString('base64url')
        const connection = createStreamConnection({ id, outlet, toolsets, notices, log })
        pairs.set(id, { tokenId, outlet, connection })
        outlet.onClose(() => {
          pairs.delete(id)
          connection.close(new RpcError(errorCode.cancelled, 'The stream was closed.'))
        })
        return id
      }
    },
    post(id, body, visit) {
      const pair = pairs.get(id)
      if (pair?.tokenId !== visit.caller.tokenId) {
        throw new RpcError(errorCode.unavailable, 'No such connection: open /sse again.', { status: 404 })
      }
      const message = asMessage(body.json)
      try {
        pair.connection.receive(withExactNumbers(message, body), visit)
      } catch (error) {
        if (!isRequest(message) || !(error instanceof RpcError)) throw error
        pair.outlet.send(failure(message.id, error))
      }
    },
    endAll(reason, tokenId) {
      for (const { tokenId: owner, connection, outlet } of pairs.values()) {
        if (tokenId !== undefined && owner !== tokenId) continue
        connection.close(reason)
        void connection.settled().then(() => outlet.end())
      }
    },
  }
}
