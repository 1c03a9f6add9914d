/**
 * The legacy connections of Streamable HTTP: made by `initialize`, found by `Mcp-Session-Id`, bound to the token that
 * opened them, and kept across restarts of the hub.
 */
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import type { Client, Notices, Topic } from '../mcp/mcp.ts'
import { errorCode, failure, noticeOf, RpcError } from '../mcp/mcp.ts'
import type { Connection } from './connection.ts'
import { createConnection } from './connection.ts'
import type { ConnectionRecord, ConnectionRecords } from './connection-records.ts'
import type { Face } from './face.ts'
import type { InFlight } from './in-flight.ts'
import { createNoticeQueue } from './notice-queue.ts'
import type { NoticeQueue } from './notice-queue.ts'
import type { ResumableStream } from './resumable-stream.ts'
import { createResumableStream } from './resumable-stream.ts'
import type { SubscriptionQuota } from './subscription-quota.ts'
import type { CallerLookup, RequestContext } from './request-context.ts'

export interface HttpConnection extends Connection {
  readonly notices: ResumableStream
  readonly queue: NoticeQueue
  /** Streams of running requests, by id. */
  readonly streams: Map<string, ResumableStream>
  lastSeenAt: Date
}

export interface Connections {
  readonly size: number
  readonly isBusy: boolean
  create(client: Client, context: RequestContext): Promise<HttpConnection>
  /** Also finds connections of an earlier hub, or of another hub on the same store. */
  find(id: string, context: RequestContext): Promise<HttpConnection | undefined>
  remove(connection: HttpConnection): Promise<void>
  removeOfToken(tokenId: string): Promise<void>
  /** Reopens the connections of an earlier hub, and answers the requests that it left unanswered. */
  restore(callers: CallerLookup): Promise<void>
  /** Closes idle connections and prunes old streams. */
  sweep(): Promise<void>
  /** Answers running requests with `reason` and releases the streams. The next hub continues them. */
  stop(reason: RpcError): Promise<void>
}

export interface ConnectionsOptions {
  readonly records: ConnectionRecords
  readonly notices: Notices
  readonly quota: SubscriptionQuota
  readonly inFlight: InFlight
  readonly log: Log
  readonly maxPerToken: number
  readonly idleMs: number
  readonly onChange: () => void
  readonly now?: () => Date
}

export const noticesStreamId = 'notices'
/** The first revision whose clients understand an event with an id and no message. */
export const primingSince = '2025-11-25'
/** How long a client that lost its stream can fetch the answer of a finished request. */
const keepStreamsMs = 5 * 60_000
/** A connection that was used more recently than this is not evicted for a new one. */
const evictableAfterMs = 60_000
/** How long a client should wait before it reconnects to a hub that stopped. */
const reconnectMs = 500

export function createConnections(options: ConnectionsOptions): Connections {
  const { records, notices, quota, inFlight, log, maxPerToken, idleMs, onChange } = options
  const { now = () => new Date() } = options
  const connections = new Map<string, HttpConnection>()
  /** Connections that count already but are not stored yet. */
  const opening = new Set<ConnectionRecord>()
  /** Connections that are still stored but can no longer be found. */
  const leaving = new Set<string>()

  function openConnection(record: ConnectionRecord, caller: Principal, face: Face): HttpConnection {
    const { id, version, capabilities, info, toolsets, logLevel, subscriptions } = record
    const onError = (error: unknown) => log.error({ error }, 'cannot store connections')
    const canPrime = version >= primingSince
    const stream = createResumableStream({ records, connectionId: id, id: noticesStreamId, canPrime, onError })
    const queue = createNoticeQueue({
      faceId: face.id,
      isReady: () => stream.isReady,
      deliver: (topics) =>
        stream.push(
          topics.map((topic) => noticeOf(topic)),
          topics,
        ),
      send: (message) => void stream.push([message], []),
      park: (topics) => records.markChanged(id, topics).catch(onError),
      waiting: waitingIn(record, face),
    })
    const connection = createConnection({
      id,
      caller,
      client: { era: 'legacy', version, capabilities, ...(info && { info }) },
      face,
      notices,
      quota,
      inFlight,
      subscriber: queue,
      log,
      subscriptions,
      ...(toolsets && { toolsets }),
      ...(logLevel && { logLevel }),
      keep: {
        subscribe: (uri) => records.subscribe(id, uri),
        unsubscribe: (uri) => records.unsubscribe(id, uri),
        setLogLevel: (level) => records.setLogLevel(id, level),
      },
    })
    const { lastSeenAt } = record
    const opened = Object.assign(connection, { notices: stream, queue, streams: new Map(), lastSeenAt })
    connections.set(id, opened)
    return opened
  }

  async function evictIfFull(tokenId: string): Promise<void> {
    const own = [...connections.values()].filter((connection) => connection.tokenId === tokenId)
    const coming = [...opening].filter((record) => record.tokenId === tokenId)
    if (own.length + coming.length <= maxPerToken) return
    // Many clients never close their connection: one that has long been idle is evicted, one in use is not.
    const [longestIdle] = own
      .filter((connection) => !connection.isBusy && !connection.notices.isReady)
      .filter((connection) => now().getTime() - connection.lastSeenAt.getTime() > evictableAfterMs)
      .sort((a, b) => a.lastSeenAt.getTime() - b.lastSeenAt.getTime())
    if (!longestIdle) {
      throw new HubError(
        'busy',
        `This token has ${maxPerToken} connections open, which is the limit. Close one with DELETE.`,
      )
    }
    await drop([longestIdle], 'a new connection of its token replaced it')
  }

  async function drop(gone: readonly HttpConnection[], why: string): Promise<void> {
    for (const connection of gone) {
      connections.delete(connection.id)
      leaving.add(connection.id)
      connection.close(new RpcError(errorCode.unavailable, `The connection was closed: ${why}.`))
      await connection.notices.complete()
    }
    // The answers to running requests are stored under the connection, so it is removed last.
    await Promise.all(gone.map((connection) => connection.settled()))
    await records.remove(gone.map((connection) => connection.id))
    for (const { id } of gone) leaving.delete(id)
    onChange()
  }

  return {
    get size() {
      return connections.size
    },
    get isBusy() {
      return connections.values().some((connection) => connection.isBusy)
    },
    async create(client, context) {
      const record: ConnectionRecord = {
        id: randomBytes(18).toString('base64url'),
        tokenId: context.caller.tokenId,
        version: client.version,
        capabilities: client.capabilities,
        ...(client.info && { info: client.info }),
        ...(context.toolsets && { toolsets: context.toolsets }),
        lastSeenAt: now(),
        subscriptions: [],
        changed: [],
        changedLists: [],
      }
      opening.add(record)
      try {
        await evictIfFull(record.tokenId)
        await records.create(record)
        return openConnection(record, context.caller, context.face)
      } finally {
        opening.delete(record)
        onChange()
      }
    },
    async find(id, { caller, face }) {
      let connection = connections.get(id)
      if (!connection) {
        const record = await records.find(id)
        // For the caller of another token the connection does not exist.
        if (!record || record.tokenId !== caller.tokenId || leaving.has(id)) return undefined
        connection = connections.get(id) ?? openConnection(record, caller, face)
      }
      if (connection.tokenId !== caller.tokenId) return undefined
      connection.lastSeenAt = now()
      return connection
    },
    remove: (connection) => drop([connection], 'its client closed it'),
    async removeOfToken(tokenId) {
      const own = [...connections.values()].filter((connection) => connection.tokenId === tokenId)
      await drop(own, 'its token was revoked or has expired')
    },
    async restore({ principalOf, faceOf }) {
      for (const { id, streamId, requestId, nextSeq, answer } of await records.unanswered()) {
        const unknown = failure(requestId, {
          code: errorCode.unavailable,
          message:
            'The hub stopped while this request was running, so its outcome is unknown. Check what it did before you repeat it.',
          data: { outcome: 'unknown' },
        })
        await records.append(id, streamId, [{ seq: nextSeq, message: answer ?? unknown }])
        await records.completeStream(id, streamId)
      }
      for (const record of await records.all()) {
        const caller = await principalOf(record.tokenId)
        if (caller) openConnection(record, caller, faceOf(caller))
        else await records.remove([record.id])
      }
    },
    async sweep() {
      const oldest = now().getTime() - idleMs
      const idle = [...connections.values()].filter(
        (connection) => connection.lastSeenAt.getTime() < oldest && !connection.isBusy && !connection.notices.isReady,
      )
      if (idle.length > 0) await drop(idle, 'it was idle for too long')
      await records.setLastSeen(new Map([...connections.values()].map(({ id, lastSeenAt }) => [id, lastSeenAt])))
      await records.prune(new Date(now().getTime() - keepStreamsMs))
    },
    async stop(reason) {
      for (const connection of connections.values()) {
        connection.close(reason)
        await connection.notices.release(reconnectMs)
      }
      await Promise.all([...connections.values()].map((connection) => connection.settled()))
      await records.setLastSeen(new Map([...connections.values()].map(({ id, lastSeenAt }) => [id, lastSeenAt])))
    },
  }
}

function waitingIn({ changed, changedLists }: ConnectionRecord, face: Face): readonly Topic[] {
  return [
    ...changed.flatMap((uri) => face.topicOf(uri) ?? []),
    ...changedLists.map((list): Topic => ({ kind: 'list', list })),
  ]
}
