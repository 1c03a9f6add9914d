import { mkdtemp, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
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
  let elapsedMs = 0
  const tokens = createTokens({
    store,
    signals: { emit: (name, signal) => void ('token' in signal && ended.push(signal.token)) },
    findSession: async (id) => ({ id }),
    now: () => clock.now,
    elapsedMs: () => elapsedMs,
  })
  /** Lets time pass without moving the clock. */
  const goBy = (ms: number) => (elapsedMs += ms)
  const pass = (ms: number) => (clock.now = new Date(clock.now.getTime() + ms))
  return { tokens, ended, pass, goBy }
}

describeOnEachEngine('tokens', (open) => {
  test('a token authenticates the principal it was issued to', async () => {
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

  test('a clock that is set back does not prolong a token', async () => {
    await using opened = await open()
    const { tokens, pass, goBy } = tokensOn(opened.store)
    const { text } = await tokens.issue({ role: 'human', expiresInMs: 60_000 })
    pass(-3_600_000)
    goBy(59_999)
    expect(await tokens.authenticate(text)).toBeDefined()
    goBy(1)
    expect(await tokens.authenticate(text)).toBeUndefined()
  })

  test('the store does not contain the text of a token', async () => {
    await using opened = await open()
    const { tokens } = tokensOn(opened.store)
    const { text } = await tokens.issue({ role: 'human' })
    const rows = await opened.store.db.selectFrom('tokens').selectAll().execute()
    expect(rows).toHaveLength(1)
    const secret = text.split('_').slice(3).join('_')
    expect(secret.length).toBeGreaterThan(40)
    expect(JSON.stringify(rows)).not.toContain(secret)
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

  test('a revoked token is unknown at once, ends its open streams once, and stays revoked', async () => {
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

  test('an expired token is unknown and ends its open streams', async () => {
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

  test('pages list each token once, even tokens of the same moment', async () => {
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

  test('revoking an unknown token fails with a message that names list_tokens', async () => {
    await using opened = await open()
    await expect(tokensOn(opened.store).tokens.revoke('nope')).rejects.toThrow('list_tokens')
  })

  test('an agent must name its session and a human must not', async () => {
    await using opened = await open()
    const { tokens } = tokensOn(opened.store)
    await expect(tokens.issue({ role: 'agent' })).rejects.toThrow('session')
    await expect(tokens.issue({ role: 'human', session: 's' })).rejects.toThrow('session')
  })

  test('keeps a token file that works, and replaces one that is truncated or revoked', async () => {
    await using opened = await open()
    const { tokens } = tokensOn(opened.store)
    const path = join(await mkdtemp(join(tmpdir(), 'signalbox-token-')), 'token')
    const first = await ensureTokenFile(path, tokens)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await ensureTokenFile(path, tokens)).toBe(first)
    await rename(path, `${path}.moved`)
    await symlink(path, path)
    await expect(ensureTokenFile(path, tokens)).rejects.toThrow(
      /cannot read the token file .*: too many symbolic links.*delete it/,
    )
    expect(await tokens.list(undefined, 10)).toHaveLength(1)
    await rename(`${path}.moved`, path)
    await writeFile(path, first.slice(0, 20))
    const second = await ensureTokenFile(path, tokens)
    expect(second).not.toBe(first)
    expect(await readFile(path, 'utf8')).toBe(`${second}\n`)
    await tokens.revoke((await tokens.authenticate(second))!.tokenId)
    expect(await ensureTokenFile(path, tokens)).not.toBe(second)
  })
})

test('hubs that share one PostgreSQL soon see a revocation by another hub', async () => {
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

test('a clock that is set back does not keep a token valid that another hub has revoked', async () => {
  await using database = await createDatabase(inject('postgresUrl'))
  await using one = await openStore({ databaseUrl: database.url })
  await using two = await openStore({ databaseUrl: database.url })
  const here = tokensOn(one)
  const there = tokensOn(two)
  const { text, id } = await here.tokens.issue({ role: 'human' })
  expect(await there.tokens.authenticate(text)).toBeDefined()
  await here.tokens.revoke(id)
  there.pass(-3_600_000)
  expect(await there.tokens.authenticate(text)).toBeUndefined()
})
