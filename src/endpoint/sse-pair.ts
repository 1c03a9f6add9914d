/**
 * HTTP+SSE of 2024-11-05: one stream for all messages to the client, and a second address for the client's messages.
 * Old clients still use it. Such a connection lives as long as its stream.
 */
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Notices } from '../mcp/mcp.ts'
import { errorCode, failure, isRequest, RpcError } from '../mcp/mcp.ts'
import type { InFlight } from './in-flight.ts'
import type { Body } from './parse.ts'
import { asMessage, checkMessage } from './parse.ts'
import type { Outlet } from './reply.ts'
import type { StreamConnection } from './stream-connection.ts'
import { createStreamConnection } from './stream-connection.ts'
import type { SubscriptionQuota } from './subscription-quota.ts'
import type { RequestContext } from './request-context.ts'

export interface SsePairs {
  readonly size: number
  readonly isBusy: boolean
  /** Throws if the stream must not be opened. The function it returns gives the id to which the client posts. */
  open(context: RequestContext): (outlet: Outlet) => string
  post(id: string, body: Body, context: RequestContext): void
  /** Ends the connections of one token, or all. */
  endAll(reason: RpcError, tokenId?: string): void
}

interface Pair {
  readonly tokenId: string
  readonly outlet: Outlet
  readonly connection: StreamConnection
}

export interface SsePairsOptions {
  readonly notices: Notices
  readonly quota: SubscriptionQuota
  readonly inFlight: InFlight
  readonly log: Log
  readonly maxPerToken: number
}

export function createSsePairs({ notices, quota, inFlight, log, maxPerToken }: SsePairsOptions): SsePairs {
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
        throw new HubError('busy', `This token has ${maxPerToken} streams open, which is the limit. Close one first.`)
      }
      return (outlet) => {
        const id = randomBytes(18).toString('base64url')
        const connection = createStreamConnection({ id, outlet, toolsets, notices, quota, inFlight, log })
        pairs.set(id, { tokenId, outlet, connection })
        outlet.onClose(() => {
          pairs.delete(id)
          connection.close(new RpcError(errorCode.cancelled, 'The stream was closed.'))
        })
        return id
      }
    },
    post(id, body, context) {
      const pair = pairs.get(id)
      if (pair?.tokenId !== context.caller.tokenId) {
        throw new RpcError(errorCode.unavailable, 'No such connection. Open /sse again.', { status: 404 })
      }
      const message = asMessage(body.json)
      try {
        pair.connection.receive(checkMessage(message, body), context)
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
