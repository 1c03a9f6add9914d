/** `subscriptions/listen` of 2026-07-28: a streamed answer with the notices that were asked for. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventStream } from './event-stream.ts'
import { modern, modernStream, type ModernOptions, subscriptionIdKey } from './modern-request.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

const uri = (name: string) => `test://counter/${name}`

test('the acknowledgement comes first and lists the accepted subscriptions, under the id of the request', async () => {
  using stream = await listen(
    { toolsListChanged: true, resourceSubscriptions: [uri('a'), 'test://no-such'] },
    { id: 'sub-1' },
  )
  expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  expect(await stream.message()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: {
      notifications: { toolsListChanged: true, resourceSubscriptions: [uri('a')] },
      _meta: { [subscriptionIdKey]: 'sub-1' },
    },
  })
})

test('the stream has only the notices that the filter names, once each, with the id of the subscription', async () => {
  using resources = await listen({ resourceSubscriptions: [uri('b')] }, { id: 'b' })
  using lists = await listen({ promptsListChanged: true }, { id: 'lists' })
  await resources.message()
  await lists.message()
  await hub.call('test_trigger_tool_change')
  await hub.call('test_change', { uris: [uri('other'), uri('b'), uri('b')] })
  await hub.call('test_trigger_prompt_change')
  await hub.call('test_change', { uris: [uri('b')] })

  await expect.poll(() => resources.messages.length, patience).toBe(3)
  await expect.poll(() => lists.messages.length, patience).toBe(2)
  const notice = {
    method: 'notifications/resources/updated',
    params: { uri: uri('b'), _meta: { [subscriptionIdKey]: 'b' } },
  }
  expect(resources.messages.slice(1)).toMatchObject([notice, notice])
  expect(lists.messages.slice(1)).toMatchObject([
    { method: 'notifications/prompts/list_changed', params: { _meta: { [subscriptionIdKey]: 'lists' } } },
  ])
})

test('no notice is lost right after the acknowledgement', async () => {
  const changes = Array.from({ length: 30 }, (_, index) => uri(`race-${index}`))
  for (const changed of changes) {
    using stream = await listen({ resourceSubscriptions: [changed] })
    await stream.message()
    await hub.call('test_change', { uris: [changed] })
    expect(await stream.message()).toMatchObject({ params: { uri: changed } })
  }
})

test('a listener that has disconnected is no longer counted', async () => {
  await expect.poll(listeners, patience).toBe(0)
  const streams = await Promise.all(Array.from({ length: 20 }, () => listen({ toolsListChanged: true })))
  await expect.poll(listeners, patience).toBe(20)
  for (const stream of streams) stream.close()
  await expect.poll(listeners, patience).toBe(0)
})

test.each([
  ['no filter', {}],
  ['a filter that is not an object', { notifications: 'all' }],
  ['a list option that is not a boolean', { notifications: { toolsListChanged: 'yes' } }],
  ['addresses that are not strings', { notifications: { resourceSubscriptions: [5] } }],
])('a request with %s is refused with -32602', async (_, params) => {
  const { body } = await modern(hub, 'subscriptions/listen', params)
  expect(body).toMatchObject({ id: 1, error: { code: -32602 } })
})

test('a client that does not accept a stream gets an error', async () => {
  const { status, body } = await modern(hub, 'subscriptions/listen', filter({ toolsListChanged: true }), {
    headers: { accept: 'application/json' },
  })
  expect(status).toBeGreaterThanOrEqual(400)
  expect(body).toMatchObject({ error: { message: expect.stringContaining('text/event-stream') } })
})

test('an agent gets notices of its own lists and not of the management server’s', async () => {
  await hub.call('create_session', { name: 'quiet', command: 'cat' })
  const { token } = await hub.call('issue_token', { role: 'agent', session: 'quiet' })
  using stream = await listen({ toolsListChanged: true }, { token: String(token) })
  using person = await listen({ toolsListChanged: true })
  await stream.message()
  await person.message()
  await hub.call('test_trigger_tool_change')
  expect(await person.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
  expect(stream.messages).toHaveLength(1)
})

test('SIGTERM ends the stream with the answer to the request', async () => {
  using stream = await listen({ toolsListChanged: true }, { id: 'the end' })
  await stream.message()
  const exit = await hub.end('SIGTERM')

  expect(await stream.message()).toMatchObject({ id: 'the end', result: { resultType: 'complete' } })
  expect(await stream.ended).toBe('ended')
  expect(exit).toEqual({ code: 0, signal: null })
})

function filter(notifications: object): object {
  return { notifications }
}

function listen(notifications: object, options: ModernOptions = {}): Promise<EventStream> {
  return modernStream(hub, 'subscriptions/listen', filter(notifications), options)
}

async function listeners(): Promise<number> {
  return Number((await hub.call('hub_status'))['listeners'])
}
