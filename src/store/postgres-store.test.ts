import { expect, inject, test } from 'vitest'
import { createDatabase, runSql } from '../../test/postgres.ts'
import { openStore } from './store.ts'

const serverUrl = inject('postgresUrl')

test('refuses a URL that is not a PostgreSQL URL, with an example of a correct one', async () => {
  for (const databaseUrl of ['mysql://host/db', 'not a url']) {
    await expect(openStore({ databaseUrl })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('postgres://user:password@host:5432/database'),
    })
  }
})

test('reports an unreachable server by host and database, without the password', async () => {
  const opening = openStore({ databaseUrl: 'postgres://ann:hunter2-hunter2@127.0.0.1:1/hub' })
  await expect(opening).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /Cannot reach the PostgreSQL database hub on 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\)\. Check/,
    ),
  })
  await expect(opening).rejects.not.toThrow(/hunter2/)
})

test('reports a database that does not exist', async () => {
  const url = new URL(serverUrl)
  url.pathname = '/nowhere'
  await expect(openStore({ databaseUrl: url.href })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('database "nowhere" does not exist'),
  })
})

test('refuses a database with another encoding', async () => {
  await using database = await createDatabase(serverUrl)
  const url = new URL(database.url)
  url.pathname = `${url.pathname}_latin`
  const name = url.pathname.slice(1)
  await runSql(serverUrl, `create database ${name} encoding 'LATIN1' template template0`)
  await expect(openStore({ databaseUrl: url.href })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('UTF8'),
  })
  await runSql(serverUrl, `drop database ${name}`)
})

test('five hubs can open an empty database at once', async () => {
  await using database = await createDatabase(serverUrl)
  await using opened = new AsyncDisposableStack()
  const open = async () => opened.use(await openStore({ databaseUrl: database.url }))
  const stores = await Promise.all(Array.from({ length: 5 }, open))
  const rest = { role: 'human', created_at: '2026-01-01T00:00:00.000Z' }
  await Promise.all(
    stores.map(({ db }, index) =>
      db
        .insertInto('tokens')
        .values({ id: `t${index}`, hash: `h${index}`, ...rest })
        .execute(),
    ),
  )
  expect(await stores[0]!.db.selectFrom('tokens').select('id').execute()).toHaveLength(5)
})

test('reports a column with another type', async () => {
  await using database = await createDatabase(serverUrl)
  await (await openStore({ databaseUrl: database.url }))[Symbol.asyncDispose]()
  await runSql(database.url, 'alter table tokens alter column label type varchar(10)')
  await expect(openStore({ databaseUrl: database.url })).rejects.toThrow(
    'the column "label" of "tokens" is character varying',
  )
})

test('receives notifications, and reports and restores a broken database connection', async () => {
  await using database = await createDatabase(serverUrl)
  await using store = await openStore({ databaseUrl: database.url })
  const received: string[] = []
  let onReceived = (): void => {}
  const next = (): Promise<void> => new Promise((resolve) => (onReceived = resolve))
  await using _listening = await store.postgres!.listen('news', {
    onNotice: (payload) => {
      received.push(payload)
      onReceived()
    },
    onGap: () => {
      received.push('(gap)')
      onReceived()
    },
  })
  const first = next()
  await store.postgres!.query(`select pg_notify('news', $1)`, ['one'])
  await first
  const gap = next()
  await runSql(database.url, `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'`)
  await gap
  const last = next()
  await store.postgres!.query(`select pg_notify('news', 'two')`)
  await last
  expect(received).toEqual(['one', '(gap)', 'two'])
})

test('a transaction of plain SQL commits all or nothing', async () => {
  await using database = await createDatabase(serverUrl)
  await using store = await openStore({ databaseUrl: database.url })
  const { query, transaction } = store.postgres!
  await query('create table t (n int8)')
  const failing = transaction(async (inside) => {
    await inside('insert into t values (1)')
    await inside('select 1 / 0')
  })
  await expect(failing).rejects.toThrow('division by zero')
  expect(await query('select count(*) as count from t')).toEqual([{ count: 0 }])
})
