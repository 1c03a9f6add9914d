import { expect, inject, test } from 'vitest'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { createDatabase } from '../../test/postgres.ts'
import type { Store } from '../store/store.ts'
import { openStore } from '../store/store.ts'
import { createLoginCodes, createTokens } from './tokens.ts'

const minute = 60_000

function codesOn(store: Store) {
  const clock = { now: new Date('2026-01-01T00:00:00Z') }
  let elapsed = 0
  const now = () => clock.now
  const elapsedMs = () => elapsed
  const recorded: unknown[] = []
  const tokens = createTokens({
    store,
    signals: { emit: () => {} },
    findSession: async (id) => ({ id }),
    now,
    elapsedMs,
  })
  const codes = createLoginCodes({
    store,
    tokens,
    events: { append: async (event) => void recorded.push(event) as never },
    addressOf: async (session) => `https://hub.example.org/${session ?? ''}`,
    now,
    elapsedMs,
  })
  const goBy = (ms: number) => (elapsed += ms)
  const pass = (ms: number) => (clock.now = new Date(clock.now.getTime() + ms))
  const person = async () => (await tokens.issue({ role: 'human' })).id
  return { tokens, codes, recorded, pass, goBy, person }
}

describeOnEachEngine('login codes', (open) => {
  test('a code becomes a token of a person, once', async () => {
    await using opened = await open()
    const { codes, tokens, person, recorded } = codesOn(opened.store)
    const by = await person()
    const { code, expiresAt } = await codes.create(by)
    expect(expiresAt).toBe('2026-01-01T00:05:00.000Z')
    const login = await codes.exchange(code)
    expect(login).toMatchObject({ role: 'human', label: 'phone login', expiresAt: '2026-01-31T00:00:00.000Z' })
    expect(await tokens.authenticate(login!.text)).toMatchObject({ role: 'human', label: 'phone login' })
    expect(await codes.exchange(code)).toBeUndefined()
    expect(recorded).toEqual([{ type: 'login-used', payload: { token_id: login!.id, created_by: by } }])
    await tokens.revoke(login!.id)
    expect(await tokens.authenticate(login!.text)).toBeUndefined()
  })

  test('a code expires after five minutes, even if the clock is set back', async () => {
    await using opened = await open()
    const { codes, person, pass, goBy } = codesOn(opened.store)
    const by = await person()
    const [first, second, third] = [await codes.create(by), await codes.create(by), await codes.create(by)]
    pass(5 * minute - 1)
    expect(await codes.exchange(first.code)).toBeDefined()
    pass(1)
    expect(await codes.exchange(second.code)).toBeUndefined()
    pass(-60 * minute)
    goBy(5 * minute)
    expect(await codes.exchange(third.code)).toBeUndefined()
  })

  test('of two clients that send a code at once, exactly one gets a token', async () => {
    await using opened = await open()
    const here = codesOn(opened.store)
    const there = codesOn(await opened.reopen())
    const by = await here.person()
    for (let round = 0; round < 20; round++) {
      const { code } = await here.codes.create(by)
      const racers = [here, there, here, there].map(({ codes }) => codes.exchange(code))
      expect((await Promise.all(racers)).filter((login) => login !== undefined)).toHaveLength(1)
    }
    expect(await here.tokens.list(undefined, 100)).toHaveLength(21)
  })

  test('the next hub accepts a code that was made before a restart', async () => {
    await using opened = await open()
    const { codes, person } = codesOn(opened.store)
    const { code } = await codes.create(await person())
    expect(await codesOn(await opened.reopen()).codes.exchange(code)).toBeDefined()
  })

  test('the store does not contain a code', async () => {
    await using opened = await open()
    const { codes, person } = codesOn(opened.store)
    const { code } = await codes.create(await person())
    expect(code).toMatch(/^sb_login_[\w-]{22}$/)
    const rows = await opened.store.db.selectFrom('login_codes').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(code.slice('sb_login_'.length))
  })

  test('ten codes are valid at a time, and a new one replaces the oldest', async () => {
    await using opened = await open()
    const { codes, person, pass } = codesOn(opened.store)
    const by = await person()
    const made: string[] = []
    for (let count = 0; count < 11; count++) {
      pass(1_000)
      made.push((await codes.create(by)).code)
    }
    expect(await codes.exchange(made[0]!)).toBeUndefined()
    expect(await codes.exchange(made[1]!)).toBeDefined()
    expect(await codes.exchange(made[10]!)).toBeDefined()
  })

  test('expired codes are deleted when the next one is made', async () => {
    await using opened = await open()
    const { codes, person, pass } = codesOn(opened.store)
    const by = await person()
    await codes.create(by)
    pass(5 * minute)
    await codes.create(by)
    expect(await opened.store.db.selectFrom('login_codes').selectAll().execute()).toHaveLength(1)
  })

  test('a code is void when the token that made it is revoked', async () => {
    await using opened = await open()
    const { codes, tokens, person } = codesOn(opened.store)
    const by = await person()
    const { code } = await codes.create(by)
    await tokens.revoke(by)
    expect(await codes.exchange(code)).toBeUndefined()
  })

  test('an unknown text is not a code', async () => {
    await using opened = await open()
    const { codes, person } = codesOn(opened.store)
    const { code } = await codes.create(await person())
    for (const wrong of ['', 'x', code.slice(0, -1), `${code}A`, code.replace('login', 'human')])
      expect(await codes.exchange(wrong)).toBeUndefined()
    expect(await codes.exchange(code)).toBeDefined()
  })
})

test('hubs that share one PostgreSQL accept each other’s codes, each code once', async () => {
  await using database = await createDatabase(inject('postgresUrl'))
  await using one = await openStore({ databaseUrl: database.url })
  await using two = await openStore({ databaseUrl: database.url })
  const [here, there] = [codesOn(one), codesOn(two)]
  const { code } = await here.codes.create(await here.person())
  expect(await there.codes.exchange(code)).toBeDefined()
  expect(await here.codes.exchange(code)).toBeUndefined()
})
