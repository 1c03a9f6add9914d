import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Params } from '../mcp/mcp.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { measureLists, mostPages, noLists, readList } from './mount-lists.ts'

const client = { capabilities: {} }
const tool = (count: number) => ({ name: `tool ${count}`, description: 'd'.repeat(1_000) })

/** Answers each request for a page with the next page, and counts them. */
function paging(next: (count: number) => object) {
  let pages = 0
  const upstream = {
    identity: { capabilities: { tools: {}, prompts: {} } },
    request: async (_method: string, _params: Params) => next(pages++),
  } as unknown as Upstream
  return { upstream, pages: () => pages }
}

test('an endless list is read until its quota is used up', async () => {
  const { upstream, pages } = paging((count) => ({ tools: [tool(count)], nextCursor: count }))
  const list = await readList(upstream, client, 'tools', { bytes: 100_000 })
  expect(list.isCut).toBe(true)
  expect(list.bytes).toBeLessThanOrEqual(100_000)
  expect(list.entries.length).toBeGreaterThan(80)
  expect(pages()).toBeLessThan(110)
})

test('a page that is too large is read as far as the quota allows', async () => {
  const { upstream } = paging(() => ({ tools: Array.from({ length: 1_000 }, (_, count) => tool(count)) }))
  const list = await readList(upstream, client, 'tools', { bytes: 100_000 })
  expect(list.isCut).toBe(true)
  expect(list.entries.length).toBeLessThan(100)
})

test.each([
  ['a long text', 'c'.repeat(10_000)],
  ['an object', { page: 2 }],
])('a cursor that is %s is not sent back', async (_, nextCursor) => {
  const { upstream, pages } = paging(() => ({ tools: [tool(1)], nextCursor }))
  await expect(readList(upstream, client, 'tools', { bytes: 100_000 })).rejects.toThrow(
    'The cursor of tools/list must be a text of at most 8192 characters',
  )
  expect(pages()).toBe(1)
})

test('an entry that is too large, or has too many members, is left out, and later ones are not', async () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, count) => [`p${count}`, {}]))
  const tools = [
    { name: 'long', description: 'd'.repeat(300_000) },
    { name: 'escaped', description: '\u0001'.repeat(100_000) },
    { name: 'long key', inputSchema: { ['k'.repeat(300_000)]: 1 } },
    { name: 'wide', inputSchema: { properties } },
    { name: 'wide list', inputSchema: { enum: Array.from({ length: 20_000 }, () => 0) } },
    tool(1),
  ]
  const list = await readList(paging(() => ({ tools })).upstream, client, 'tools', { bytes: 100_000_000 })
  expect(list.entries).toEqual([tool(1)])
  expect(list.isCut).toBe(true)
  const whole = await readList(paging(() => ({ tools: [tool(1)] })).upstream, client, 'tools', { bytes: 100_000_000 })
  expect(whole).toEqual({ ...list, isCut: false })
})

test('many small members take more of the quota than their text', async () => {
  const small = (count: number) => ({
    name: `tool ${count}`,
    inputSchema: { enum: Array.from({ length: 1_000 }, () => 0) },
  })
  const { upstream } = paging(() => ({ tools: Array.from({ length: 1_000 }, (_, count) => small(count)) }))
  const list = await readList(upstream, client, 'tools', { bytes: 1_000_000 })
  expect(list.isCut).toBe(true)
  expect(list.entries.length).toBeLessThan(20)
})

test('lists that are read together share their quota', async () => {
  const { upstream } = paging((count) => ({ tools: [tool(count)], prompts: [tool(count)], nextCursor: count }))
  const quota = { bytes: 100_000 }
  const [tools, prompts] = await Promise.all([
    readList(upstream, client, 'tools', quota),
    readList(upstream, client, 'prompts', quota),
  ])
  expect(tools.bytes + prompts.bytes).toBeLessThanOrEqual(100_000)
})

test('equal lists have equal digests, and different lists have different ones', async () => {
  const of = async (...entries: Readonly<Record<string, unknown>>[]) =>
    (await measureLists({ ...noLists, tools: entries })).measures.get('tools')?.digest
  expect(await of({ name: 'a' }, { name: 'b' })).toBe(await of({ name: 'a' }, { name: 'b' }))
  expect(await of({ name: 'a' }, { name: 'b' })).not.toBe(await of({ name: 'b' }, { name: 'a' }))
  expect(await of({ name: 'a' })).not.toBe(await of())
})

test('other work gets a turn while a long list is processed', async () => {
  const entries = Array.from({ length: 10_000 }, (_, count) => tool(count))
  let turns = 0
  let isDone = false
  const counting = (async () => {
    while (!isDone) {
      await turn()
      turns++
    }
  })()
  await measureLists({ ...noLists, tools: entries })
  isDone = true
  await counting
  expect(turns).toBeGreaterThan(20)
})

test('pages that do not end, or begin again, are read a few hundred times at most', async () => {
  const endless = paging((count) => ({ tools: [], nextCursor: count }))
  expect(await readList(endless.upstream, client, 'tools', { bytes: 100_000 })).toMatchObject({ isEndless: true })
  expect(endless.pages()).toBe(mostPages)
  const again = paging((count) => ({ tools: [tool(count)], nextCursor: 'same' }))
  const list = await readList(again.upstream, client, 'tools', { bytes: 100_000 })
  expect(list).toMatchObject({ isEndless: true, entries: [tool(0), tool(1)] })
  const honest = paging((count) => ({ tools: [], ...(count < mostPages - 1 && { nextCursor: count }) }))
  expect(await readList(honest.upstream, client, 'tools', { bytes: 100_000 })).toMatchObject({ isEndless: false })
})
