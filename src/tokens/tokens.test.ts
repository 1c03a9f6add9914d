import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { createDatabase } from '../../test/postgres.ts'
import type { Store } from '../store/store.ts'
import { openStore } from '../store/store.ts'
import { createTokens, ensureTokenFile } from './tokens.ts'

function tokensOn(store: Store) {
  const clock = { now: new Date('2026-01-01T00:00:00Z') }
  const ended: string[] = []
  const tokens = createTokens({ store, onEnded: (id) => ended.push(id), now: () => clock.now })
  const pass = (ms: number) => (clock.now = new Date(clock.now.getTime() + ms))
  return { tokens, ended, pass }
}

describeOnEachEngine('tokens', (open) => {
  test('a token stands for whom it was issued to', async () => {
    await using opened = await open()
    const { tokens } = tokensOn(opened.store)
    const { text, id } = await tokens.issue({ role: 'agent', session: 's1', label: 'mine', toolsets: ['all'] })
    expect(await tokens.authenticate(text)).toEqual({
      tokenId: id,
      role: 'agent',
      session: 's1',
      label: 'mine',
      toolsets: ['all'],
    })
  })

  test('its text is nowhere in the store', async () => {
    await using opened = await open()
    const { tokens } = tokensOn(opened.store)
    const { text } = await tokens.issue({ role: 'human' })
    const rows = await opened.store.db.selectFrom('tokens').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(text.split('_').at(-1))
  })

  test('a token with one character changed, of another role, or of another id is unknown', async () => {
    await using opened = await open()
    const { tokens } = tokensOn(opened.store)
    const { text } = await tokens.issue({ role: 'human' })
    const last = text.at(-1) === 'A' ? 'B' : 'A'
    const wrong = [
      text.slice(0, -1) + last,
      text.replace('human', 'agent'),
      text.replace(/_[a-z0-9]{12}_/, '_000000000000_'),
      '',
      'x',
    ]
    for (const candidate of wrong) expect(await tokens.authenticate(candidate)).toBeUndefined()
    expect(await tokens.authenticate(text)).toBeDefined()
  })

  test('a revoked token is unknown at once, what it had open is ended once, and it stays revoked', async () => {
    await using opened = await open()
    const { tokens, ended } = tokensOn(opened.store)
    const { text, id } = await tokens.issue({ role: 'human' })
    await tokens.authenticate(text)
    const { revokedAt } = await tokens.revoke(id)
    expect(await tokens.authenticate(text)).toBeUndefined()
    expect(await tokens.revoke(id)).toEqual({ id, revokedAt })
    expect(ended).toEqual([id])
    expect(await tokensOn(await opened.reopen()).tokens.authenticate(text)).toBeUndefined()
  })

  test('an expired token is unknown, and what it had open is ended', async () => {
    await using opened = await open()
    const { tokens, ended, pass } = tokensOn(opened.store)
    const { text, id } = await tokens.issue({ role: 'human', expiresInMs: 1_000 })
    expect(await tokens.authenticate(text)).toBeDefined()
    pass(999)
    await tokens.endExpired()
    expect(ended).toEqual([])
    pass(1)
    expect(await tokens.authenticate(text)).toBeUndefined()
    await tokens.endExpired()
    expect(ended).toEqual([id])
  })

  test('the time of the last use outlives the hub', async () => {
    await using opened = await open()
    const { tokens, pass } = tokensOn(opened.store)
    const { text } = await tokens.issue({ role: 'human' })
    pass(5_000)
    await tokens.authenticate(text)
    await tokens.saveLastUsed()
    const [row] = await tokensOn(await opened.reopen()).tokens.list(undefined, 10)
    expect(row?.lastUsedAt).toBe('2026-01-01T00:00:05.000Z')
  })

  test('the list is read in pages, each token once, whatever was made at the same moment', async () => {
    await using opened = await open()
    const { tokens, pass } = tokensOn(opened.store)
    const made: string[] = []
    for (let count = 0; count < 7; count++) {
      if (count % 3 === 0) pass(1_000)
      made.push((await tokens.issue({ role: 'human' })).id)
    }
    const seen: string[] = []
    for (let page = await tokens.list(undefined, 3); page.length > 0; page = await tokens.list(page.at(-1), 3)) {
      seen.push(...page.map(({ id }) => id))
    }
    expect(seen.toSorted()).toEqual(made.toSorted())
    expect(seen).toHaveLength(7)
  })

  test('revoking what is not there says where the ids are', async () => {
    await using opened = await open()
    await expect(tokensOn(opened.store).tokens.revoke('nope')).rejects.toThrow('list_tokens')
  })

  test('an agent must name its session and a human must not', async () => {
    await using opened = await open()
    const { tokens } = tokensOn(opened.store)
    await expect(tokens.issue({ role: 'agent' })).rejects.toThrow('session')
    await expect(tokens.issue({ role: 'human', session: 's' })).rejects.toThrow('session')
  })

  test('the token file is kept while it works, and replaced when it is torn or revoked', async () => {
    await using opened = await open()
    const { tokens } = tokensOn(opened.store)
    const path = join(await mkdtemp(join(tmpdir(), 'signalbox-token-')), 'token')
    const first = await ensureTokenFile(path, tokens)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await ensureTokenFile(path, tokens)).toBe(first)
    await writeFile(path, first.slice(0, 20))
    const second = await ensureTokenFile(path, tokens)
    expect(second).not.toBe(first)
    expect(await readFile(path, 'utf8')).toBe(`${second}\n`)
    await tokens.revoke((await tokens.authenticate(second))!.tokenId)
    expect(await ensureTokenFile(path, tokens)).not.toBe(second)
  })
})

test('with several hubs over one PostgreSQL, a revocation by one is soon seen by the others', async () => {
  await using database = await createDatabase(inject('postgresUrl'))
  await using one = await openStore({ databaseUrl: database.url })
  await using two = await openStore({ databaseUrl: database.url })
  const here = tokensOn(one)
  const there = tokensOn(two)
  const { text, id } = await here.tokens.issue({ role: 'human' })
  expect(await there.tokens.authenticate(text)).toBeDefined()
  await here.tokens.revoke(id)
  there.pass(500)
  await there.tokens.endExpired()
  expect(there.ended).toEqual([id])
  expect(await there.tokens.authenticate(text)).toBeUndefined()
})
