import { expect, inject, test } from 'vitest'
import { createDatabase, runSql } from '../../test/postgres.ts'
import { openStore } from './store.ts'

const serverUrl = inject('postgresUrl')

test('an address that is no PostgreSQL is refused with an example of one that is', async () => {
  for (const databaseUrl of ['mysql://host/db', 'not a url']) {
    await expect(openStore({ databaseUrl })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('postgres://user:password@host:5432/database'),
    })
  }
})

test('a server that is not there is reported by host and database, and never with the password', async () => {
  const opening = openStore({ databaseUrl: 'postgres://ann:hunter2-hunter2@127.0.0.1:1/hub' })
  await expect(opening).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /Cannot reach the PostgreSQL database hub on 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\)\. Check/,
    ),
  })
  await expect(opening).rejects.not.toThrow(/hunter2/)
})

test('a database that does not exist is reported', async () => {
  const url = new URL(serverUrl)
  url.pathname = '/nowhere'
  await expect(openStore({ databaseUrl: url.href })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('database "nowhere" does not exist'),
  })
})

test('a database with another encoding is refused', async () => {
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

test('five hubs may open an empty database at once', async () => {
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

test('a column of another type is reported', async () => {
  await using database = await createDatabase(serverUrl)
  await (await openStore({ databaseUrl: database.url }))[Symbol.asyncDispose]()
  await runSql(database.url, 'alter table tokens alter column label type varchar(10)')
  await expect(openStore({ databaseUrl: database.url })).rejects.toThrow(
    'the column "label" of "tokens" is character varying',
  )
})

test('notices are heard, and a broken connection is told and comes back', async () => {
  await using database = await createDatabase(serverUrl)
  await using store = await openStore({ databaseUrl: database.url })
  const heard: string[] = []
  let hear = (): void => {}
  const next = (): Promise<void> => new Promise((resolve) => (hear = resolve))
  await using _listening = await store.postgres!.listen('news', {
    onNotice: (payload) => {
      heard.push(payload)
      hear()
    },
    onGap: () => {
      heard.push('(gap)')
      hear()
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
  expect(heard).toEqual(['one', '(gap)', 'two'])
})

test('a transaction of plain SQL is all or nothing', async () => {
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
