import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { Store, TokenRow } from './store.ts'

function tokenRow(id: string, changes: Partial<TokenRow> = {}): TokenRow {
  return {
    id,
    role: 'agent',
    session: 'build',
    label: null,
    toolsets: '["sessions"]',
    hash: `hash of ${id}`,
    created_at: '2026-01-02T03:04:05.678Z',
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    ...changes,
  }
}

function insertToken(store: Pick<Store, 'db'>, id: string): Promise<unknown> {
  return store.db.insertInto('tokens').values(tokenRow(id)).execute()
}

async function tokenIds({ db }: Pick<Store, 'db'>): Promise<string[]> {
  const rows = await db.selectFrom('tokens').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

async function insertConnection({ transient }: Store, id: string): Promise<void> {
  const now = '2026-01-02T03:04:05.678Z'
  await transient
    .insertInto('connections')
    .values({
      id,
      hub_id: 'h1',
      endpoint: 'hub',
      token_id: 't1',
      protocol_version: '2025-11-25',
      client_info: '{}',
      client_capabilities: '{}',
      toolsets: null,
      log_level: null,
      created_at: now,
      last_seen_at: now,
    })
    .execute()
  await transient
    .insertInto('connection_subscriptions')
    .values({ connection_id: id, uri: 'resource://a', changed: 1 })
    .execute()
  await transient
    .insertInto('connection_streams')
    .values({ connection_id: id, id: 's1', request_id: '"7"', state: 'open', updated_at: now })
    .execute()
  await transient
    .insertInto('connection_stream_events')
    .values({ connection_id: id, stream_id: 's1', seq: 1, message: '{"jsonrpc":"2.0"}' })
    .execute()
}

describeOnEachEngine('the store', (open) => {
  test('returns a row as it was written, also to the next hub', async () => {
    await using opened = await open()
    const row = tokenRow('t1', { label: 'é 😀 "quoted" \\ \n', expires_at: '2027-01-01T00:00:00.000Z' })
    await opened.store.db.insertInto('tokens').values(row).execute()
    const again = await opened.reopen()
    const [read] = await again.db.selectFrom('tokens').selectAll().execute()
    expect(read).toStrictEqual(row)
  })

  test('returns counts and sums as numbers', async () => {
    await using opened = await open()
    await insertConnection(opened.store, 'c1')
    const { db, transient } = opened.store
    const tokens = await db
      .selectFrom('tokens')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(tokens.count).toBe(0)
    const row = await transient.selectFrom('connection_subscriptions').select('changed').executeTakeFirstOrThrow()
    expect(row.changed).toBe(1)
  })

  test('reports the number of rows that an update or delete changed', async () => {
    await using opened = await open()
    const { db } = opened.store
    await insertToken(opened.store, 't1')
    await insertToken(opened.store, 't2')
    const updated = await db.updateTable('tokens').set({ label: 'x' }).executeTakeFirstOrThrow()
    expect(updated.numUpdatedRows).toBe(2n)
    const deleted = await db.deleteFrom('tokens').where('id', '=', 't1').executeTakeFirstOrThrow()
    expect(deleted.numDeletedRows).toBe(1n)
    expect(await db.deleteFrom('tokens').where('id', '=', 't2').returning('id').execute()).toEqual([{ id: 't2' }])
  })

  test('refuses a second row with the same id or hash', async () => {
    await using opened = await open()
    const { db } = opened.store
    await insertToken(opened.store, 't1')
    await expect(insertToken(opened.store, 't1')).rejects.toThrow()
    await expect(
      db
        .insertInto('tokens')
        .values(tokenRow('t2', { hash: 'hash of t1' }))
        .execute(),
    ).rejects.toThrow()
    expect(await tokenIds(opened.store)).toEqual(['t1'])
  })

  test('a transaction that fails leaves nothing behind', async () => {
    await using opened = await open()
    const work = opened.store.db.transaction().execute(async (transaction) => {
      await insertToken({ db: transaction }, 't1')
      throw new Error('changed my mind')
    })
    await expect(work).rejects.toThrow('changed my mind')
    expect(await tokenIds(opened.store)).toEqual([])
  })

  test("concurrent transactions do not lose each other's changes", async () => {
    await using opened = await open()
    const { db } = opened.store
    await db
      .insertInto('tokens')
      .values(tokenRow('t1', { label: '0' }))
      .execute()
    const add = () =>
      db.transaction().execute(async (transaction) => {
        await sql`update tokens set label = label where id = 't1'`.execute(transaction)
        const { label } = await transaction.selectFrom('tokens').select('label').executeTakeFirstOrThrow()
        await transaction
          .updateTable('tokens')
          .set({ label: String(Number(label) + 1) })
          .execute()
      })
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await db.selectFrom('tokens').select('label').execute()).toEqual([{ label: '20' }])
  })

  test('can roll back to a savepoint', async () => {
    await using opened = await open()
    await opened.store.db.transaction().execute(async (transaction) => {
      await insertToken({ db: transaction }, 't1')
      await sql.raw('savepoint here').execute(transaction)
      await insertToken({ db: transaction }, 't2')
      await sql.raw('rollback to savepoint here').execute(transaction)
    })
    expect(await tokenIds(opened.store)).toEqual(['t1'])
  })

  test('using the outer handle inside a transaction fails at once instead of hanging', async () => {
    await using opened = await open()
    const { store } = opened
    const inside = store.db.transaction().execute(async (transaction) => {
      await insertToken({ db: transaction }, 't1')
      await tokenIds(store)
    })
    await expect(inside).rejects.toThrow('Use the handle that the callback gets')
    const isolated = store.db.transaction().setIsolationLevel('serializable')
    await expect(isolated.execute(() => tokenIds(store))).rejects.toThrow('Use the handle')
    await expect(store.db.connection().execute(() => tokenIds(store))).rejects.toThrow('Use the handle')
    expect(() => store.db.startTransaction()).toThrow('transaction().execute')
    expect(await tokenIds(store)).toEqual([])
  })

  test('allows the other handle inside a transaction, and the outer handle for work that outlives it', async () => {
    await using opened = await open()
    const { store } = opened
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    let later: Promise<string[]> | undefined
    await store.db.transaction().execute(async (transaction) => {
      await insertToken({ db: transaction }, 't1')
      await insertConnection(store, 'c1')
      later = over.then(() => tokenIds(store))
    })
    end()
    expect(await later).toEqual(['t1'])
  })

  test('deletes the data of a connection with the connection', async () => {
    await using opened = await open()
    await insertConnection(opened.store, 'c1')
    await insertConnection(opened.store, 'c2')
    const { transient } = opened.store
    await transient.deleteFrom('connections').where('id', '=', 'c1').execute()
    for (const table of ['connection_subscriptions', 'connection_streams', 'connection_stream_events'] as const) {
      expect(await transient.selectFrom(table).select('connection_id').execute()).toEqual([{ connection_id: 'c2' }])
    }
    await expect(
      transient
        .insertInto('connection_subscriptions')
        .values({ connection_id: 'nobody', uri: 'x', changed: 0 })
        .execute(),
    ).rejects.toThrow()
  })

  test('refuses a database of a newer signalbox and says what to do', async () => {
    await using opened = await open()
    await sql
      .raw(`insert into signalbox_migrations values ('hub', '9999-later', 'x', '2030-01-01T00:00:00.000Z')`)
      .execute(opened.store.db)
    await expect(opened.reopen()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/newer signalbox.*9999-later.*Install that version or a later one/),
    })
  })

  test('refuses a migration that changed since it was applied', async () => {
    await using opened = await open()
    await sql
      .raw(`update signalbox_migrations set checksum = 'x' where set_name = 'transient'`)
      .execute(opened.store.transient)
    await expect(opened.reopen()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Migration 0001-connections differs'),
    })
  })

  test.each([
    ['alter table tokens drop column last_used_at', 'the column "last_used_at" of "tokens" is missing'],
    ['alter table tokens add column extra text', 'there is an unknown column "extra" in "tokens"'],
    ['alter table tokens rename to coins', 'the table "tokens" is missing'],
  ])('reports the difference after "%s"', async (change, complaint) => {
    await using opened = await open()
    await sql.raw(change).execute(opened.store.db)
    await expect(opened.reopen()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`${complaint}. Undo that change, or restore a backup.`),
    })
  })

  test('ignores other tables in the same database', async () => {
    await using opened = await open()
    await sql.raw('create table somebody_elses (a text)').execute(opened.store.db)
    await expect(opened.reopen()).resolves.toBeDefined()
  })
})
