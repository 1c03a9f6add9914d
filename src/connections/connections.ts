/** Keeps legacy MCP connections in the store, so that they survive a restart of the hub. */
import { createBatch } from '../base/batch.ts'
import { parseExactly } from '../base/exact-numbers.ts'
import type { ConnectionRecord, ConnectionRecords, StoredEvent } from '../endpoint/endpoint.ts'
import type { ListName, RequestId, RpcMessage, RpcResponse, Topic } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'

/** How many events of a stream are kept for clients that resume. */
const keptEvents = 1_000

export interface ConnectionRecordsOptions {
  readonly store: Store
  /** Several hubs may share the store. Each one handles only its own connections. */
  readonly hubId: string
  /** The id of the endpoint whose connections these are. */
  readonly endpoint: string
  readonly now?: () => Date
}

export function createConnectionRecords(options: ConnectionRecordsOptions): ConnectionRecords {
  const { store, hubId, endpoint, now = () => new Date() } = options
  const db = store.transient

  /** Drops late writes for a removed connection: a client may leave while its messages are still being written. */
  function writeForLiving(
    ids: readonly string[],
    write: (transaction: Store['transient'], isLiving: (id: string) => boolean) => Promise<unknown>,
  ): Promise<void> {
    return db.transaction().execute(async (transaction) => {
      const rows = transaction
        .selectFrom('connections')
        .select('id')
        .where('id', 'in', [...new Set(ids)])
      // On PostgreSQL the row could be deleted before this transaction ends.
      const locked = store.engine === 'postgres' ? rows.forKeyShare() : rows
      const living = new Set((await locked.execute()).map(({ id }) => id))
      if (living.size > 0) await write(transaction, (id) => living.has(id))
    })
  }

  const append = createBatch<Append>((given) => {
    const ids = given.map(({ id }) => id)
    return writeForLiving(ids, async (transaction, isLiving) => {
      const appends = given.filter(({ id }) => isLiving(id))
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
        const uris = urisOf(delivered)
        const lists = listsOf(delivered)
        if (uris.length > 0) {
          const delivery = transaction.updateTable('connection_subscriptions').set({ changed: 0 })
          await delivery.where('connection_id', '=', id).where('uri', 'in', uris).execute()
        }
        if (lists.length > 0) {
          const delivery = transaction.deleteFrom('connection_changed_lists')
          await delivery.where('connection_id', '=', id).where('list', 'in', lists).execute()
        }
      }
    })
  })

  return {
    endpoint,
    async all() {
      const own = db.selectFrom('connections').selectAll().where('hub_id', '=', hubId)
      const rows = await own.where('endpoint', '=', endpoint).execute()
      const subscriptions = await db.selectFrom('connection_subscriptions').selectAll().execute()
      const changedLists = await db.selectFrom('connection_changed_lists').selectAll().execute()
      const subscriptionsOf = Map.groupBy(subscriptions, (row) => row.connection_id)
      const changedListsOf = Map.groupBy(changedLists, (row) => row.connection_id)
      return rows.map((row) => toRecord(row, subscriptionsOf.get(row.id) ?? [], changedListsOf.get(row.id) ?? []))
    },
    async find(id) {
      const found = db.selectFrom('connections').selectAll().where('id', '=', id)
      const row = await found.where('endpoint', '=', endpoint).executeTakeFirst()
      if (!row) return undefined
      // The hub that a client connects to owns the connection from then on.
      if (row.hub_id !== hubId)
        await db.updateTable('connections').set({ hub_id: hubId }).where('id', '=', id).execute()
      const own = db.selectFrom('connection_subscriptions').selectAll().where('connection_id', '=', id)
      const lists = db.selectFrom('connection_changed_lists').selectAll().where('connection_id', '=', id)
      return toRecord(row, await own.execute(), await lists.execute())
    },
    async create(record) {
      const { id, tokenId, version, capabilities, info, toolsets, lastSeenAt } = record
      const row = {
        id,
        hub_id: hubId,
        endpoint,
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
      await writeForLiving([id], (transaction) =>
        transaction
          .insertInto('connection_subscriptions')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      )
    },
    async unsubscribe(id, uri) {
      await db.deleteFrom('connection_subscriptions').where('connection_id', '=', id).where('uri', '=', uri).execute()
    },
    async markChanged(id, topics) {
      const uris = urisOf(topics)
      const lists = listsOf(topics).map((list) => ({ connection_id: id, list }))
      await writeForLiving([id], async (transaction) => {
        if (uris.length > 0) {
          // An insert would restore a subscription that has just ended.
          const mark = transaction.updateTable('connection_subscriptions').set({ changed: 1 })
          await mark.where('connection_id', '=', id).where('uri', 'in', uris).execute()
        }
        if (lists.length > 0) {
          const insert = transaction.insertInto('connection_changed_lists').values(lists)
          await insert.onConflict((conflict) => conflict.doNothing()).execute()
        }
      })
    },
    async openStream(id, streamId, requestId) {
      const row = {
        connection_id: id,
        id: streamId,
        request_id: requestId === undefined ? null : JSON.stringify(requestId),
        state: 'open' as const,
        updated_at: now().toISOString(),
        answer_if_lost: null,
      }
      await writeForLiving([id], (transaction) => transaction.insertInto('connection_streams').values(row).execute())
    },
    append: (id, streamId, events, delivered = []) => append({ id, streamId, events, delivered }),
    async completeStream(id, streamId) {
      const update = db.updateTable('connection_streams').set({ state: 'complete', updated_at: now().toISOString() })
      await update.where('connection_id', '=', id).where('id', '=', streamId).execute()
    },
    async setAnswerIfLost(id, streamId, response) {
      const update = db
        .updateTable('connection_streams')
        .set({ answer_if_lost: response === undefined ? null : JSON.stringify(response) })
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
      const ofHub = db.selectFrom('connections').select('id').where('hub_id', '=', hubId)
      const own = ofHub.where('endpoint', '=', endpoint)
      const open = db.selectFrom('connection_streams').where('connection_id', 'in', own).where('state', '=', 'open')
      const rows = await open
        .where('request_id', 'is not', null)
        .select((row) => [
          'connection_id as id',
          'id as streamId',
          'request_id as requestId',
          'answer_if_lost as answerIfLost',
          row
            .selectFrom('connection_stream_events as event')
            .whereRef('event.connection_id', '=', 'connection_streams.connection_id')
            .whereRef('event.stream_id', '=', 'connection_streams.id')
            .select(({ fn }) => fn.max('event.seq').as('last'))
            .as('last'),
        ])
        .execute()
      return rows.map(({ id, streamId, requestId, answerIfLost, last }) => ({
        id,
        streamId,
        requestId: JSON.parse(requestId!) as RequestId,
        nextSeq: (last ?? 0) + 1,
        ...(answerIfLost !== null && { answer: parseExactly(answerIfLost) as RpcResponse }),
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
  readonly delivered: readonly Topic[]
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

function urisOf(topics: readonly Topic[]): readonly string[] {
  return topics.flatMap((topic) => (topic.kind === 'list' ? [] : [topic.uri]))
}

function listsOf(topics: readonly Topic[]): readonly ListName[] {
  return topics.flatMap((topic) => (topic.kind === 'list' ? [topic.list] : []))
}

function toRecord(
  row: ConnectionRow,
  subscriptions: readonly { uri: string; changed: number }[],
  lists: readonly { list: string }[],
): ConnectionRecord {
  const info = JSON.parse(row.client_info) as ConnectionRecord['info'] | null
  return {
    id: row.id,
    tokenId: row.token_id,
    version: row.protocol_version,
    capabilities: JSON.parse(row.client_capabilities) as ConnectionRecord['capabilities'],
    lastSeenAt: new Date(row.last_seen_at),
    subscriptions: subscriptions.map(({ uri }) => uri),
    changed: subscriptions.filter(({ changed }) => changed === 1).map(({ uri }) => uri),
    changedLists: lists.map(({ list }) => list as ListName),
    ...(info && { info }),
    ...(row.toolsets !== null && { toolsets: JSON.parse(row.toolsets) as readonly string[] }),
    ...(row.log_level !== null && { logLevel: row.log_level as NonNullable<ConnectionRecord['logLevel']> }),
  }
}

function parseMessage(text: string): RpcMessage | undefined {
  return text === '' ? undefined : (parseExactly(text) as RpcMessage)
}
