/**
 * Plants secrets in the places where they occur in practice, and checks that none is in the bytes of the database, in
 * the log or in an export.
 */
import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { AnyEventLog } from '../../test/harness/any-event-log.ts'
import { openAnyEventLog } from '../../test/harness/any-event-log.ts'
import { createDatabase } from '../../test/postgres.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import { openStore } from '../store/store.ts'
import type { EventLogOptions } from './events.ts'

const secretText = fc
  .string({
    unit: fc.constantFrom(...Array.from('abcdefXYZ0189-_.~!*%+/=&?#:@ "\\éß😀')),
    minLength: 10,
    maxLength: 40,
  })
  .filter((text) => new Set(text).size > 6 && text.trim() === text)

/** Each planting names its kind of secret: resolved by the process, recognised by its name, or a token of the hub. */
const plantings: readonly {
  readonly kind: 'resolved' | 'named' | 'token'
  readonly plant: (secret: string) => unknown
}[] = [
  { kind: 'resolved', plant: (s) => ({ note: s, list: [`before ${s} after`], [s]: 1 }) },
  {
    kind: 'resolved',
    plant: (s) => ({ url: `https://user:${encodeURIComponent(s)}@host/?q=${encodeURIComponent(s)}` }),
  },
  { kind: 'resolved', plant: (s) => ({ header: `Basic ${Buffer.from(`user:${s}`).toString('base64')}` }) },
  { kind: 'resolved', plant: (s) => ({ id: Buffer.from(`ab${s}`).toString('base64url') }) },
  { kind: 'resolved', plant: (s) => ({ body: JSON.stringify({ inner: JSON.stringify({ note: s }) }) }) },
  { kind: 'resolved', plant: (s) => ({ stderr: `fatal: could not read from remote: ${s}\n` }) },
  { kind: 'resolved', plant: (s) => ({ error: new Error(`refused ${s}`, { cause: new Error(s) }) }) },
  { kind: 'resolved', plant: (s) => ({ bytes: Buffer.from(s), more: new Map([[s, s]]) }) },
  { kind: 'named', plant: (s) => ({ api_key: s, headers: { Authorization: `Bearer ${s}`, 'set-cookie': [s] } }) },
  { kind: 'named', plant: (s) => ({ body: JSON.stringify({ inner: JSON.stringify({ password: s }) }) }) },
  {
    kind: 'named',
    plant: (s) => ({ url: `https://host/?access_token=${encodeURIComponent(s)}&x=1#token=${encodeURIComponent(s)}` }),
  },
  { kind: 'named', plant: (s) => ({ stderr: `> Authorization: Bearer ${s}\n> Accept: */*\n` }) },
  {
    kind: 'named',
    plant: (s) => ({ error: new Error(`login failed with {"password": ${JSON.stringify(s)}} at host`) }),
  },
  { kind: 'token', plant: (s) => ({ note: `the token ${s} was used`, [s]: [s], url: `https://host/#${s}` }) },
  { kind: 'token', plant: (s) => ({ header: Buffer.from(`hub:${s}`).toString('base64') }) },
]

interface Planted {
  readonly secret: string
  readonly payload: Record<string, unknown>
}

const redactor = createRedactor()
const planted: readonly Planted[] = plantings.flatMap(({ kind, plant }, index) =>
  fc.sample(secretText, { numRuns: 40, seed: 7420 + index }).map((text) => {
    const secret = kind === 'token' ? `sb_human_${Buffer.from(text).toString('base64url')}` : text
    if (kind === 'resolved') redactor.addSecret(secret)
    return { secret, payload: plant(secret) as Record<string, unknown> }
  }),
)

/** The encodings in which a missed secret might appear. */
function spellings(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const twice = JSON.stringify(inJson).slice(1, -1)
  const base64 = [secret, `user:${secret}`, `ab${secret}`, `hub:${secret}`].map((text) =>
    Buffer.from(text)
      .toString('base64')
      .replace(/.{0,3}=*$/, ''),
  )
  return [secret, inJson, twice, JSON.stringify(twice).slice(1, -1), encodeURIComponent(secret), ...base64]
}

function expectNone(text: string, where: string): void {
  expect(text.length, where).toBeGreaterThan(10_000)
  const found = planted.flatMap(({ secret }) => spellings(secret).filter((spelling) => text.includes(spelling)))
  expect(found, where).toEqual([])
}

async function appendAll(log: AnyEventLog): Promise<void> {
  await Promise.all(planted.map(({ secret, payload }) => log.append({ type: 'planted', payload, ...fieldsOf(secret) })))
}

/** Callers choose some fields freely, such as the correlation, so these may hold a secret too. */
function fieldsOf(secret: string): { correlation?: string } {
  return redactor.text(secret) === secret ? {} : { correlation: `call ${secret}` }
}

async function exported(log: AnyEventLog): Promise<string> {
  let text = ''
  for (let cursor = 0; cursor < log.lastSeq;) {
    const page = await log.read({ cursor, limit: 1_000 })
    for (const event of page.events) text += `${JSON.stringify(event)}\n`
    cursor = page.nextCursor
  }
  return text
}

function open(options: EventLogOptions): Promise<AnyEventLog> {
  return openAnyEventLog(options, { redactor, retention: { maxAgeMs: 1e10, maxBytes: 1e10 } })
}

test('no planted secret is in the bytes of the SQLite files or in an export', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  const log = await open({ engine: 'sqlite', path })
  await appendAll(log)
  expectNone(await exported(log), 'export')
  expectNone(readFileSync(`${path}-wal`, 'utf8'), 'write-ahead log')
  await log[Symbol.asyncDispose]()
  expectNone(readFileSync(path, 'utf8'), 'database')
})

test('no planted secret is in PostgreSQL', async () => {
  await using database = await createDatabase(inject('postgresUrl'))
  await using store = await openStore({ databaseUrl: database.url })
  await using log = await open({ engine: 'postgres', postgres: store.postgres! })
  await appendAll(log)
  const rows = await store.postgres!.query<{ row: string }>('select events::text as row from events')
  expectNone(rows.map(({ row }) => row).join('\n'), 'rows')
  expectNone(await exported(log), 'export')
})

test('no planted secret is in the log, whether it comes as a field, an error or a message', () => {
  const lines: string[] = []
  const log = createLog({ level: 'debug', redactor, destination: { write: (line) => lines.push(line) } })
  for (const { secret, payload } of planted) {
    log.info(payload, 'planted')
    log.child(payload).error({}, 'planted')
    log.warn({ text: JSON.stringify(payload) }, `answered: ${JSON.stringify(payload)}`)
    if (redactor.text(secret) !== secret) log.debug({}, secret)
  }
  expectNone(lines.join(''), 'log')
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow()
})

test('the checks above find secrets that are not redacted', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  const blind = { ...createRedactor(), value: (input: unknown) => input, text: (input: string) => input }
  await using log = await openAnyEventLog(
    { engine: 'sqlite', path },
    { redactor: blind, retention: { maxAgeMs: 1e10, maxBytes: 1e10 } },
  )
  await appendAll(log)
  const text = await exported(log)
  const found = planted.filter(({ secret }) => spellings(secret).some((spelling) => text.includes(spelling)))
  // All but those in errors, bytes and maps, which plain JSON leaves out.
  expect(found.length).toBeGreaterThan(planted.length * 0.75)
})
