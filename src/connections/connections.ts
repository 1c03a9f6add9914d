/** Keeps legacy MCP connections in the store, so that they go on after a restart of the hub. */
import { createBatch } from '../base/batch.ts'
import { parseExactly } from '../base/exact-numbers.ts'
import type { ConnectionRecord, ConnectionRecords, RequestId, RpcMessage, StoredEvent } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'

/** So many events of a stream can be resumed from. */
const keptEvents = 1_000

export interface ConnectionRecordsOptions {
  readonly store: Store
  /** Several hubs may share the store; each cares for its own connections. */
  readonly hubId: string
  readonly now?: () => Date
}

export function createConnectionRecords(options: ConnectionRecordsOptions): ConnectionRecords {
  const { store, hubId, now = () => new Date() } = options
  const db = store.transient

  const append = createBatch<Append>((appends) =>
    db.transaction().execute(async (transaction) => {
      const rows = appends.flatMap(({ id, streamId, events }) =>
        events.map(({ seq, message }) => ({
          connection_id: id,
          stream_id: streamId,
          seq,
          message: message === undefined ? '' : JSON.stringify(message),
        })),
      )
      for (let start = 0; start < rows.length; start += rowsPerInsert) {
        const slice = rows.slice(start, start + rowsPerInsert)
        await transaction.insertInto('connection_stream_events').values(slice).execute()
      }
      for (const { id, delivered } of appends) {
        if (delivered.length === 0) continue
        const delivery = transaction.updateTable('connection_subscriptions').set({ changed: 0 })
        await delivery.where('connection_id', '=', id).where('uri', 'in', delivered).execute()
      }
    }),
  )

  return {
    async all() {
      const rows = await db.selectFrom('connections').selectAll().where('hub_id', '=', hubId).execute()
      const subscriptions = await db.selectFrom('connection_subscriptions').selectAll().execute()
      const byConnection = Map.groupBy(subscriptions, (row) => row.connection_id)
      return rows.map((row) => toRecord(row, byConnection.get(row.id) ?? []))
    },
    async find(id) {
      const row = await db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row) return undefined
      // Whom a client comes to serves it from then on.
      if (row.hub_id !== hubId)
        await db.updateTable('connections').set({ hub_id: hubId }).where('id', '=', id).execute()
      const own = db.selectFrom('connection_subscriptions').selectAll().where('connection_id', '=', id)
      return toRecord(row, await own.execute())
    },
    async create(record) {
      const { id, tokenId, version, capabilities, info, toolsets, lastSeenAt } = record
      const row = {
        id,
        hub_id: hubId,
        token_id: tokenId,
        protocol_version: version,
        client_info: JSON.stringify(info ?? null),
        client_capabilities: JSON.stringify(capabilities),
        toolsets: toolsets ? JSON.stringify(toolsets) : null,
        log_level: null,
        created_at: now().toISOString(),
        last_seen_at: lastSeenAt.toISOString(),
      }
      await db.insertInto('connections').values(row).execute()
    },
    async remove(ids) {
      if (ids.length > 0) await db.deleteFrom('connections').where('id', 'in', ids).execute()
    },
    async setLogLevel(id, level) {
      await db.updateTable('connections').set({ log_level: level }).where('id', '=', id).execute()
    },
    async setLastSeen(seen) {
      await db.transaction().execute(async (transaction) => {
        for (const [id, at] of seen) {
          const update = transaction.updateTable('connections').set({ last_seen_at: at.toISOString() })
          await update.where('id', '=', id).execute()
        }
      })
    },
    async subscribe(id, uri) {
      const row = { connection_id: id, uri, changed: 0 } as const
      await db
        .insertInto('connection_subscriptions')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },
    async unsubscribe(id, uri) {
      await db.deleteFrom('connection_subscriptions').where('connection_id', '=', id).where('uri', '=', uri).execute()
    },
    async markChanged(id, topics) {
      const rows = topics.map((uri) => ({ connection_id: id, uri, changed: 1 }) as const)
      const insert = db.insertInto('connection_subscriptions').values(rows)
      await insert
        .onConflict((conflict) => conflict.columns(['connection_id', 'uri']).doUpdateSet({ changed: 1 }))
        .execute()
    },
    async openStream(id, streamId, requestId) {
      const row = {
        connection_id: id,
        id: streamId,
        request_id: requestId === undefined ? null : JSON.stringify(requestId),
        state: 'open' as const,
        updated_at: now().toISOString(),
      }
      await db.insertInto('connection_streams').values(row).execute()
    },
    append: (id, streamId, events, delivered = []) => append({ id, streamId, events, delivered }),
    async completeStream(id, streamId) {
      const update = db.updateTable('connection_streams').set({ state: 'complete', updated_at: now().toISOString() })
      await update.where('connection_id', '=', id).where('id', '=', streamId).execute()
    },
    async readStream(id, streamId, afterSeq) {
      const streams = db.selectFrom('connection_streams').selectAll()
      const stream = await streams.where('connection_id', '=', id).where('id', '=', streamId).executeTakeFirst()
      if (!stream) return undefined
      const own = db
        .selectFrom('connection_stream_events')
        .where('connection_id', '=', id)
        .where('stream_id', '=', streamId)
      const { last } = await own.select(({ fn }) => fn.max('seq').as('last')).executeTakeFirstOrThrow()
      const events = await own.select(['seq', 'message']).where('seq', '>', afterSeq).orderBy('seq').execute()
      return {
        isComplete: stream.state === 'complete',
        nextSeq: (last ?? 0) + 1,
        events: events.map(({ seq, message }) => ({ seq, message: parseMessage(message) })),
      }
    },
    async unanswered() {
      const own = db.selectFrom('connections').select('id').where('hub_id', '=', hubId)
      const open = db.selectFrom('connection_streams').where('connection_id', 'in', own).where('state', '=', 'open')
      const rows = await open
        .where('request_id', 'is not', null)
        .select((row) => [
          'connection_id as id',
          'id as streamId',
          'request_id as requestId',
          row
            .selectFrom('connection_stream_events as event')
            .whereRef('event.connection_id', '=', 'connection_streams.connection_id')
            .whereRef('event.stream_id', '=', 'connection_streams.id')
            .select(({ fn }) => fn.max('event.seq').as('last'))
            .as('last'),
        ])
        .execute()
      return rows.map(({ id, streamId, requestId, last }) => ({
        id,
        streamId,
        requestId: JSON.parse(requestId!) as RequestId,
        nextSeq: (last ?? 0) + 1,
      }))
    },
    async prune(before) {
      const old = db.deleteFrom('connection_streams').where('state', '=', 'complete')
      await old.where('updated_at', '<', before.toISOString()).execute()
      const lengths = db.selectFrom('connection_stream_events').groupBy(['connection_id', 'stream_id'])
      const long = await lengths
        .select(({ fn }) => ['connection_id', 'stream_id', fn.max('seq').as('last')])
        .having(({ fn }) => fn.countAll(), '>', keptEvents)
        .execute()
      for (const { connection_id, stream_id, last } of long) {
        const events = db.deleteFrom('connection_stream_events').where('connection_id', '=', connection_id)
        await events
          .where('stream_id', '=', stream_id)
          .where('seq', '<=', last - keptEvents)
          .execute()
      }
    },
  }
}

interface Append {
  readonly id: string
  readonly streamId: string
  readonly events: readonly StoredEvent[]
  readonly delivered: readonly string[]
}

/** SQLite takes at most 32,766 parameters. */
const rowsPerInsert = 1_000

interface ConnectionRow {
  readonly id: string
  readonly token_id: string
  readonly protocol_version: string
  readonly client_info: string
  readonly client_capabilities: string
  readonly toolsets: string | null
  readonly log_level: string | null
  readonly last_seen_at: string
}

function toRecord(row: ConnectionRow, topics: readonly { uri: string; changed: number }[]): ConnectionRecord {
  const info = JSON.parse(row.client_info) as ConnectionRecord['info'] | null
  return {
    id: row.id,
    tokenId: row.token_id,
    version: row.protocol_version,
    capabilities: JSON.parse(row.client_capabilities) as ConnectionRecord['capabilities'],
    lastSeenAt: new Date(row.last_seen_at),
    // A list is on nobody's list of subscriptions: its row is only there because it changed.
    subscriptions: topics.filter(({ uri }) => !uri.startsWith('list:')).map(({ uri }) => uri),
    changed: topics.filter(({ changed }) => changed === 1).map(({ uri }) => uri),
    ...(info && { info }),
    ...(row.toolsets !== null && { toolsets: JSON.parse(row.toolsets) as readonly string[] }),
    ...(row.log_level !== null && { logLevel: row.log_level as NonNullable<ConnectionRecord['logLevel']> }),
  }
}

function parseMessage(text: string): RpcMessage | undefined {
  return text === '' ? undefined : (parseExactly(text) as RpcMessage)
}
