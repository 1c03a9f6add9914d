import { expect, test } from 'vitest'
import { caller, http, modern, scriptedUpstream } from '../../test/worlds/scripted-upstream.ts'
import { parseExactly } from '../base/exact-numbers.ts'
import type { Params } from '../mcp/mcp.ts'

const legacyWorld = (strict: boolean) => scriptedUpstream({ target: { strict } })
const modernWorld = (strict: boolean) => scriptedUpstream({ target: { strict, reach: http }, on: modern })

async function answered(world: ReturnType<typeof scriptedUpstream>, method: string, result: unknown): Promise<object> {
  const answer = world.upstream.request(method, {}, caller())
  answer.catch(() => {})
  const up = await world.line()
  up.say({ jsonrpc: '2.0', id: (await up.got(method)).id, result })
  return answer
}

const broken: readonly (readonly [string, unknown, RegExp])[] = [
  ['tools/list', {}, /tools\/list has no array "tools"/],
  ['tools/list', { tools: {} }, /array "tools"/],
  ['tools/call', { text: 'hi' }, /tools\/call has no array "content"/],
  ['tools/call', { content: [{ type: 'text', text: 'hi' }, { text: 'hi' }] }, /"type" in content\[1\]/],
  ['tools/call', { content: ['hi'] }, /"type" in content\[0\]/],
  ['tools/call', { content: [{ type: 'image', data: 'x' }] }, /"mimeType" in content\[0\]/],
  ['resources/read', { contents: 'x' }, /array "contents"/],
  ['prompts/get', {}, /array "messages"/],
  ['anything/else', 'text', /not an object/],
]

test.each(broken)(
  'in strict mode, %s with the result %j fails with an error that names the breach',
  async (method, result, breach) => {
    const world = legacyWorld(true)
    await expect(answered(world, method, result)).rejects.toThrow(breach)
    expect(world.breaches).toEqual([expect.stringMatching(breach)])
  },
)

test.each(broken)('without strict mode, %s with the result %j is passed on unchanged', async (method, result) => {
  const world = legacyWorld(false)
  expect(await answered(world, method, result)).toBe(result)
  expect(world.breaches).toEqual([])
})

test('a number that JavaScript cannot represent is accepted as a number', async () => {
  const result = parseExactly('{"tools":[],"resultType":"complete","ttlMs":9223372036854775807,"cacheScope":"private"}')
  expect(await answered(modernWorld(true), 'tools/list', result)).toBe(result)
})

test.each<readonly [string, Params]>([
  ['tools/call', { content: [{ type: 'hologram' }, { type: 'text', text: '', novel: 1 }], extra: true }],
  ['tools/call', { task: { taskId: 't', status: 'working' } }],
  ['vendor/method', { anything: 1 }],
  ['tools/list', { tools: [{ name: 'a', inputSchema: {}, novel: 1 }], nextCursor: 'x', novel: 2 }],
])('in strict mode, %s with the result %j is not a breach', async (method, result) => {
  const world = legacyWorld(true)
  expect(await answered(world, method, result)).toBe(result)
  expect(world.breaches).toEqual([])
})

test('broken entries of a list are left out and reported, and the others stay unchanged', async () => {
  const world = legacyWorld(true)
  const [good, better] = [
    { name: 'a', inputSchema: { type: 'object' }, novel: 1 },
    { name: 'z', inputSchema: {} },
  ]
  const tools = [good, { name: 'no schema' }, { inputSchema: {} }, 'no tool at all', better]
  expect(await answered(world, 'tools/list', { tools, nextCursor: 'x' })).toEqual({
    tools: [good, better],
    nextCursor: 'x',
  })
  expect(world.breaches).toEqual([
    'tools/list names a tool "no schema" without object "inputSchema"; it is left out.',
    'tools/list names a tool without string "name"; it is left out.',
  ])
})

test('2026-07-28 requires a list to say how long it may be cached', async () => {
  const tools = { tools: [] }
  const hints = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  await expect(answered(modernWorld(true), 'tools/list', { ...tools, resultType: 'complete' })).rejects.toThrow(
    '"ttlMs"',
  )
  expect(await answered(modernWorld(true), 'tools/list', { ...tools, ...hints })).toEqual({ ...tools, ...hints })
  expect(await answered(modernWorld(false), 'tools/list', tools)).toEqual(tools)
})

test('a result of 2026-07-28 without a result type counts as complete', async () => {
  const result = { content: [{ type: 'text', text: 'hi' }] }
  expect(await answered(modernWorld(true), 'tools/call', result)).toEqual(result)
  await expect(answered(modernWorld(true), 'tools/call', {})).rejects.toThrow('array "content"')
})

test('a tool that marks arguments for headers against the rules of 2026-07-28 is left out if the transport has headers', async () => {
  const tool = (name: string, mark: string) => {
    const properties = { region: { type: 'string', 'x-mcp-header': mark } }
    return { name, inputSchema: { type: 'object', properties } }
  }
  const result = {
    tools: [tool('right', 'Region'), tool('wrong', 'My Region')],
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
  }
  const world = modernWorld(true)
  expect(await answered(world, 'tools/list', result)).toMatchObject({ tools: [{ name: 'right' }] })
  expect(world.breaches).toEqual([
    'tools/list names a tool "wrong" with an "x-mcp-header" that is not a header name; it is left out.',
  ])
  expect(await answered(legacyWorld(true), 'tools/list', result)).toEqual(result)
})

test.each([
  [{ id: 2, result: { content: [] } }, /"jsonrpc"/],
  [{ jsonrpc: '1.0', id: 2, result: { content: [] } }, /"jsonrpc"/],
  [{ jsonrpc: '2.0', id: 2 }, /either a result or an error/],
  [{ jsonrpc: '2.0', id: 2, result: {}, error: {} }, /either a result or an error/],
  [{ jsonrpc: '2.0', id: 2, error: { code: 'x' } }, /"code"/],
])('in strict mode, the answer %j is an error that names the breach', async (message, breach) => {
  const { call, line, breaches } = legacyWorld(true)
  const answer = call()
  const up = await line()
  await up.got('tools/call')
  up.say(message)
  await expect(answer).rejects.toThrow(breach)
  expect(breaches).toHaveLength(1)
})

test('without strict mode, a malformed answer is accepted as it is', async () => {
  const { call, line } = legacyWorld(false)
  const answer = call()
  const up = await line()
  const { id } = await up.got('tools/call')
  up.say({ id: String(id), result: { content: [] } })
  expect(await answer).toEqual({ content: [] })
})

test('in strict mode, a question or notice that is not JSON-RPC 2.0 is dropped', async () => {
  const { upstream, line, breaches, asked, notices } = legacyWorld(true)
  await upstream.ready()
  const up = await line()
  up.say({ id: 1, method: 'roots/list' })
  up.say({ jsonrpc: '2.0', id: {}, method: 'roots/list' })
  up.say({ method: 'notifications/tools/list_changed' })
  expect([asked, notices]).toEqual([[], []])
  expect(breaches).toHaveLength(2)
})
