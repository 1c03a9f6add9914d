import { expect, test } from 'vitest'
import type { Line } from '../../test/worlds/scripted-upstream.ts'
import { http, modern, scriptedUpstream } from '../../test/worlds/scripted-upstream.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Params, RpcRequest } from '../mcp/mcp.ts'
import { isRequest, metaKey } from '../mcp/mcp.ts'

const allChanged = ['tools', 'prompts', 'resources'].map((list) => [`notifications/${list}/list_changed`, undefined])
const modernWorld = (options: Parameters<typeof scriptedUpstream>[0] = {}) =>
  scriptedUpstream({ target: { reach: http }, on: modern, ...options })
const listens = ({ sent }: Line) =>
  sent.filter((message): message is RpcRequest => isRequest(message) && message.method === 'subscriptions/listen')
const urisOf = ({ params }: RpcRequest) => (params!['notifications'] as Params)['resourceSubscriptions']

test('a legacy upstream gets a subscription, and its updates are passed on', async () => {
  const { upstream, line, notices } = scriptedUpstream()
  await upstream.subscribe('a:1')
  const up = await line()
  expect((await up.got('resources/subscribe')).params).toEqual({ uri: 'a:1' })
  up.notify('notifications/resources/updated', { uri: 'a:1', title: 'kept' })
  expect(notices).toEqual([['notifications/resources/updated', { uri: 'a:1', title: 'kept' }]])
  await upstream.unsubscribe('a:1')
  expect((await up.got('resources/unsubscribe')).params).toEqual({ uri: 'a:1' })
})

test('an error of a subscription goes to the caller, and the subscription is not kept', async () => {
  const { upstream, line } = scriptedUpstream({
    on(request, up) {
      if (request.method !== 'resources/subscribe') return false
      up.refuse(request, -32602, 'No such resource', { uri: 'a:1' })
      return true
    },
  })
  await expect(upstream.subscribe('a:1')).rejects.toMatchObject({ code: -32602, data: { uri: 'a:1' } })
  await upstream.restart()
  expect((await line(2)).sent.filter(isRequest).map(({ method }) => method)).toEqual(['initialize'])
})

test.each([
  ['legacy', scriptedUpstream],
  ['modern', modernWorld],
])('a %s upstream without subscriptions is not asked for one', async (era) => {
  const capabilities = { resources: {} }
  const { upstream } =
    era === 'legacy'
      ? scriptedUpstream({ capabilities })
      : modernWorld({ on: (request, up) => modern(request, up, capabilities) })
  await expect(upstream.subscribe('a:1')).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('does not offer subscriptions'),
  })
})

test('after a restart every resource is subscribed to again and reported as changed', async () => {
  const { upstream, line, notices } = scriptedUpstream()
  await Promise.all([upstream.subscribe('a:1'), upstream.subscribe('a:2')])
  ;(await line()).breaks.closed('crashed')
  const up = await line(2)
  await up.got('resources/subscribe', 2)
  await until(() => notices.length === 5)
  expect(notices).toEqual([
    ...allChanged,
    ['notifications/resources/updated', { uri: 'a:1' }],
    ['notifications/resources/updated', { uri: 'a:2' }],
  ])
})

test('a subscription that the end of the upstream interrupts is made on the next connection', async () => {
  let isFirst = true
  const { upstream, line } = scriptedUpstream({
    on(request, up) {
      if (request.method !== 'resources/subscribe' || !isFirst) return false
      isFirst = false
      up.breaks.closed('crashed')
      return true
    },
  })
  await upstream.subscribe('a:1')
  expect((await (await line(2)).got('resources/subscribe')).params).toEqual({ uri: 'a:1' })
})

test('a modern upstream has one stream, which covers the lists from the start', async () => {
  const { upstream, line, notices } = modernWorld()
  await upstream.ready()
  const up = await line()
  const listen = await up.got('subscriptions/listen')
  expect(listen.params?.['notifications']).toEqual({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
  })
  const _meta = { [metaKey.subscriptionId]: listen.id, trace: 1 }
  up.notify('notifications/tools/list_changed', { _meta }, listen)
  up.notify('notifications/resources/updated', { uri: 'a:1', _meta: { [metaKey.subscriptionId]: listen.id } })
  expect(notices).toEqual([
    ['notifications/tools/list_changed', { _meta: { trace: 1 } }],
    ['notifications/resources/updated', { uri: 'a:1' }],
  ])
})

test('subscriptions made in one turn share one new stream, and the old one is closed after it', async () => {
  const { upstream, line } = modernWorld()
  await upstream.ready()
  const up = await line()
  const first = await up.got('subscriptions/listen')
  await Promise.all(['a:1', 'a:2', 'a:3'].map((uri) => upstream.subscribe(uri)))
  expect(listens(up).map(urisOf)).toEqual([undefined, ['a:1', 'a:2', 'a:3']])
  expect(up.abandoned).toEqual([first.id])
  await upstream.unsubscribe('a:2')
  expect(listens(up).map(urisOf).at(-1)).toEqual(['a:1', 'a:3'])
  expect(up.abandoned).toEqual([first.id, listens(up)[1]!.id])
})

test('a stream that is acknowledged late does not replace a later one', async () => {
  const late: (() => void)[] = []
  const { upstream, line } = modernWorld({
    on(request, up) {
      if (request.method !== 'subscriptions/listen' || late.length > 0) return modern(request, up)
      late.push(() => modern(request, up))
      return true
    },
  })
  const subscribed = upstream.subscribe('a:1')
  const up = await line()
  await up.got('subscriptions/listen')
  await new Promise(setImmediate)
  late[0]!()
  await subscribed
  expect(listens(up).map(urisOf).at(-1)).toEqual(['a:1'])
  expect(up.abandoned).not.toContain(listens(up).at(-1)!.id)
})

test('a resource that a modern upstream does not acknowledge fails for its caller, and the others are kept', async () => {
  const { upstream, line } = modernWorld({
    on(request, up) {
      if (request.method !== 'subscriptions/listen') return modern(request, up)
      const { resourceSubscriptions = [], ...lists } = request.params!['notifications'] as {
        resourceSubscriptions?: string[]
      }
      const notifications = {
        ...lists,
        resourceSubscriptions: resourceSubscriptions.filter((uri) => uri !== 'a:secret'),
      }
      const _meta = { [metaKey.subscriptionId]: request.id }
      up.notify('notifications/subscriptions/acknowledged', { notifications, _meta }, request)
      return true
    },
  })
  const good = upstream.subscribe('a:1')
  await expect(upstream.subscribe('a:secret')).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('a:secret'),
  })
  await good
  await upstream.restart()
  expect(urisOf(await (await line(2)).got('subscriptions/listen'))).toEqual(['a:1'])
})

test('an upstream that does not know such a stream is used without it', async () => {
  const { upstream, call, line } = modernWorld({
    on(request, up) {
      if (request.method !== 'subscriptions/listen') return modern(request, up)
      up.refuse(request, -32601, 'Method not found')
      return true
    },
  })
  const answer = call()
  const up = await line()
  up.answer(await up.got('tools/call'), { resultType: 'complete', content: [] })
  expect(await answer).toMatchObject({ content: [] })
  await expect(upstream.subscribe('a:1')).rejects.toMatchObject({ code: -32601 })
})

test.each(['breaks', 'is ended with its result', 'is cancelled'])(
  'a stream that %s is opened again, and every resource is reported as changed',
  async (how) => {
    const { upstream, line, notices } = modernWorld()
    await upstream.subscribe('a:1')
    const up = await line()
    const listen = listens(up).at(-1)!
    if (how === 'breaks') up.breaks.lost(listen, 'the stream broke')
    else if (how === 'is cancelled') up.notify('notifications/cancelled', { requestId: listen.id })
    else up.answer(listen, { resultType: 'complete' })
    await until(() => notices.length === 4)
    expect(notices).toEqual([...allChanged, ['notifications/resources/updated', { uri: 'a:1' }]])
    expect(urisOf(listens(up).at(-1)!)).toEqual(['a:1'])
    expect(listens(up).at(-1)).not.toBe(listen)
  },
)
