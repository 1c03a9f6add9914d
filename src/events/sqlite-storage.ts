/**
 * The event log in its own SQLite file. It is written on the main thread, because an append costs much less than a
 * message to another thread and back. Only the fsyncs of a checkpoint could block, and a thread does those
 * (sqlite-checkpoint).
 */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import { explainSqliteError, openSqliteFile, sqliteErrorCode } from '../base/sqlite-file.ts'
import { recordColumns, bytesOf } from './event-record.ts'
import type { EventRecord } from './event-record.ts'
import type { EventStorage } from './event-storage.ts'
import { createCheckpoints } from './sqlite-checkpoint.ts'
import { createDropping } from './sqlite-dropping.ts'
import { createIndexes } from './sqlite-indexes.ts'
import { createReading } from './sqlite-reading.ts'
import { createTurns } from './turns.ts'

/** Leaves time for the commit itself. */
const sliceMs = 0.8
const busyRetryMs = 5
const busyPatienceMs = 10_000
const closingPatienceMs = 1_000
const schemaVersion = 1

export function openSqliteStorage(path: string, { onFault }: { onFault: (error: unknown) => void }): EventStorage {
  // SQLite must not wait for a lock, because that would block the event loop. The callers retry later instead.
  const database = openSqliteFile(path, { durability: 'normal', busyTimeoutMs: 0, incrementalVacuum: true })
  try {
    createSchema(database, path)
    database.exec('pragma wal_autocheckpoint = 0')
    return createStorage(database, { path, onFault })
  } catch (error) {
    database.close()
    throw explainSqliteError(error, path)
  }
}

interface StorageDeps {
  readonly path: string
  readonly onFault: (error: unknown) => void
}

function createStorage(database: DatabaseSync, { path, onFault }: StorageDeps): EventStorage {
  const turns = createTurns()
  const checkpoints = createCheckpoints({ path, turns, onFault })
  const insert = database.prepare(
    `insert into events (seq, ${recordColumns.join(', ')}) values (?${', ?'.repeat(recordColumns.length)})`,
  )
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  let lastSeq = Number(database.prepare('select max(seq) as seq from events').get()?.['seq'] ?? 0)
  let lockedSince: number | undefined
  /** The size of the current slice. A failure affects only these records. */
  let count = 0
  let bytes = 0

  const insertSome = (records: readonly EventRecord[]): void => {
    const end = performance.now() + sliceMs
    for (const record of records) {
      const { id, type, at, session, thread, correlation, parent, route, provider, payload } = record
      count++
      bytes += bytesOf(record)
      insert.run(lastSeq + count, id, type, at, session, thread, correlation, parent, route, provider, payload)
      if (count % 8 === 0 && performance.now() > end) break
    }
  }
  const commitSome = (records: readonly EventRecord[]): void => {
    count = 0
    bytes = 0
    // A single statement is already a transaction.
    if (records.length === 1) return insertSome(records)
    begin.run()
    try {
      insertSome(records)
      commit.run()
    } catch (error) {
      // On a full disk, SQLite has already rolled back.
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }
  const write: EventStorage['write'] = async (offered, isClosing) => {
    const startedAt = performance.now()
    const isPatient = () => performance.now() - startedAt < (isClosing() ? closingPatienceMs : busyPatienceMs)
    for (;;) {
      try {
        await turns.take('write', () => commitSome(offered()))
        const firstSeq = lastSeq + 1
        lastSeq += count
        lockedSince = undefined
        checkpoints.noteCommit(bytes)
        return { is: 'written', count, firstSeq }
      } catch (error) {
        if (isBusy(error)) lockedSince ??= startedAt
        if (isBusy(error) && isPatient()) {
          await sleep(busyRetryMs)
          continue
        }
        lockedSince = undefined
        return { is: 'failed', count: Math.max(1, count), error: explainSqliteError(error, path) }
      }
    }
  }

  const read = createReading(database, { turns, lastSeq: () => lastSeq })
  const dropOldest = createDropping(database, { turns, onCommit: checkpoints.noteCommit })
  const fail = (error: unknown): never => {
    throw sqliteErrorCode(error) === undefined ? error : explainSqliteError(error, path)
  }
  return {
    lastSeq,
    get lockedSince() {
      return lockedSince
    },
    write,
    read: (query) => read(query).catch(fail),
    dropOldest: (limits) => dropOldest(limits).catch(fail),
    async [Symbol.asyncDispose]() {
      await checkpoints[Symbol.asyncDispose]()
      database.close()
    },
  }
}

function isBusy(error: unknown): boolean {
  return sqliteErrorCode(error) === 5
}

function createSchema(database: DatabaseSync, path: string): void {
  const version = Number(database.prepare('pragma user_version').get()?.['user_version'])
  if (version > schemaVersion) {
    throw new HubError(
      'unavailable',
      `${path} was written by a newer signalbox. Install that version or a later one, or move the file away.`,
    )
  }
  if (version < schemaVersion) createTable(database)
  createIndexes(database)
}

function createTable(database: DatabaseSync): void {
  database.exec(`
    begin immediate;
    create table events (
      seq integer primary key,
      id text not null,
      type text not null,
      at text not null,
      session text,
      thread text,
      correlation text,
      parent text,
      route text,
      provider text,
      payload text not null
    );
    pragma user_version = ${schemaVersion};
    commit`)
}
