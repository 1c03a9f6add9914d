/**
 * The legacy connections of Streamable HTTP: made by `initialize`, found by `Mcp-Session-Id`, bound to the token that
 * opened them, and alive across restarts of the hub.
 */
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import type { Connection } from './connection.ts'
import { createConnection } from './connection.ts'
import type { ConnectionRecord, ConnectionRecords } from './connection-records.ts'
import type { Face } from './face.ts'
import { createNoticeQueue } from './notice-queue.ts'
import type { NoticeQueue } from './notice-queue.ts'
import type { Notices } from './notices.ts'
import { noticeOf } from './notices.ts'
import type { Client } from './provider.ts'
import type { ResumableStream } from './resumable-stream.ts'
import { createResumableStream } from './resumable-stream.ts'
import type { Visit } from './visit.ts'
import { errorCode, failure, RpcError } from './wire.ts'

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
  create(client: Client, visit: Visit): Promise<HttpConnection>
  /** Also finds what an earlier hub, or another one over the same store, left behind. */
  find(id: string, caller: Principal): Promise<HttpConnection | undefined>
  remove(connection: HttpConnection): Promise<void>
  removeOfToken(tokenId: string): Promise<void>
  /** Brings back what an earlier hub left, and answers what it could not. */
  restore(): Promise<void>
  /** Drops the idle and the old. */
  sweep(): Promise<void>
  /** Answers what runs with `reason` and lets the streams go; the next hub goes on. */
  stop(reason: RpcError): Promise<void>
}

export interface ConnectionsOptions {
  readonly records: ConnectionRecords
  readonly notices: Notices
  readonly log: Log
  readonly faceOf: (caller: Principal) => Face
  readonly principalOf: (tokenId: string) => Promise<Principal | undefined>
  readonly maxPerToken: number
  readonly idleMs: number
  readonly onChange: () => void
  readonly now?: () => Date
}

export const noticesStreamId = 'notices'
/** From this revision on clients understand an event that has an id and no message. */
export const primingSince = '2025-11-25'
/** How long the answer of a finished request can be fetched by a client that lost its stream. */
const keepStreamsMs = 5 * 60_000
/** Below this a connection without a stream is not given up for a new one. */
const evictableAfterMs = 60_000
/** When a client shall come back after the hub stopped. */
const reconnectMs = 500

export function createConnections(options: ConnectionsOptions): Connections {
  const { records, notices, log, faceOf, principalOf, maxPerToken, idleMs, onChange, now = () => new Date() } = options
  const connections = new Map<string, HttpConnection>()
  /** Counted already, but not yet in the records. */
  const opening = new Set<ConnectionRecord>()
  /** Still in the records, but no longer to be found. */
  const leaving = new Set<string>()

  function wake(record: ConnectionRecord, face: Face): HttpConnection {
    const { id, tokenId, version, capabilities, info, toolsets, logLevel, subscriptions, changed } = record
    const onError = (error: unknown) => log.error({ error }, 'the store of connections failed')
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
      tell: (message) => void stream.push([message], []),
      park: (topics) => records.markChanged(id, topics).catch(onError),
      waiting: changed,
    })
    const connection = createConnection({
      id,
      tokenId,
      client: { era: 'legacy', version, capabilities, ...(info && { info }) },
      face,
      notices,
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
    const woken = Object.assign(connection, { notices: stream, queue, streams: new Map(), lastSeenAt })
    connections.set(id, woken)
    return woken
  }

  async function makeRoom(tokenId: string): Promise<void> {
    const own = [...connections.values()].filter((connection) => connection.tokenId === tokenId)
    const coming = [...opening].filter((record) => record.tokenId === tokenId)
    if (own.length + coming.length <= maxPerToken) return
    // Many clients never say goodbye: what has long been silent makes room, what is in use does not.
    const [idlest] = own
      .filter((connection) => !connection.isBusy && !connection.notices.isReady)
      .filter((connection) => now().getTime() - connection.lastSeenAt.getTime() > evictableAfterMs)
      .sort((a, b) => a.lastSeenAt.getTime() - b.lastSeenAt.getTime())
    if (!idlest) {
      throw new HubError(
        'busy',
        `This token has ${maxPerToken} connections open, the most it may. Close one with DELETE.`,
      )
    }
    await drop([idlest], 'it made room for a new one')
  }

  async function drop(gone: readonly HttpConnection[], why: string): Promise<void> {
    for (const connection of gone) {
      connections.delete(connection.id)
      leaving.add(connection.id)
      connection.close(new RpcError(errorCode.unavailable, `The connection was closed: ${why}.`))
      await connection.notices.complete()
    }
    // The answers to what ran are written to the records, so those go last.
    await Promise.all(gone.map((connection) => connection.settled()))
    await records.remove(gone.map((connection) => connection.id))
    for (const { id } of gone) leaving.delete(id)
    onChange()
  }

  async function wakeFor(record: ConnectionRecord): Promise<HttpConnection | undefined> {
    const caller = await principalOf(record.tokenId)
    return caller && wake(record, faceOf(caller))
  }

  return {
    get size() {
      return connections.size
    },
    get isBusy() {
      return connections.values().some((connection) => connection.isBusy)
    },
    async create(client, visit) {
      const record: ConnectionRecord = {
        id: randomBytes(18).toString('base64url'),
        tokenId: visit.caller.tokenId,
        version: client.version,
        capabilities: client.capabilities,
        ...(client.info && { info: client.info }),
        ...(visit.toolsets && { toolsets: visit.toolsets }),
        lastSeenAt: now(),
        subscriptions: [],
        changed: [],
      }
      opening.add(record)
      try {
        await makeRoom(record.tokenId)
        await records.create(record)
        return wake(record, visit.face)
      } finally {
        opening.delete(record)
        onChange()
      }
    },
    async find(id, caller) {
      let connection = connections.get(id)
      if (!connection) {
        const record = await records.find(id)
        connection = record && !leaving.has(id) ? (connections.get(id) ?? (await wakeFor(record))) : undefined
      }
      // To anybody else it does not exist.
      if (connection?.tokenId !== caller.tokenId) return undefined
      connection.lastSeenAt = now()
      return connection
    },
    remove: (connection) => drop([connection], 'its client closed it'),
    async removeOfToken(tokenId) {
      const own = [...connections.values()].filter((connection) => connection.tokenId === tokenId)
      await drop(own, 'its token was revoked or has expired')
    },
    async restore() {
      for (const { id, streamId, requestId, nextSeq } of await records.unanswered()) {
        const message = failure(requestId, {
          code: errorCode.unavailable,
          message: 'The hub stopped while this request ran: its outcome is unknown. Look before you repeat it.',
          data: { outcome: 'unknown' },
        })
        await records.append(id, streamId, [{ seq: nextSeq, message }])
        await records.completeStream(id, streamId)
      }
      for (const record of await records.all()) {
        const connection = await wakeFor(record)
        if (!connection) await records.remove([record.id])
      }
    },
    async sweep() {
      const oldest = now().getTime() - idleMs
      const idle = [...connections.values()].filter(
        (connection) => connection.lastSeenAt.getTime() < oldest && !connection.isBusy && !connection.notices.isReady,
      )
      if (idle.length > 0) await drop(idle, 'nobody used it')
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
