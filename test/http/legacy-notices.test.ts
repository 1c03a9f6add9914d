/** The GET stream of the legacy revisions: each notice once, also for clients that were away. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventStream } from './event-stream.ts'
import { connectLegacy } from './legacy-connection.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

test('each notice is sent once, on one of several GET streams', async () => {
  const connection = await connectLegacy(hub)
  const names = Array.from({ length: 20 }, (_, index) => counter(`several-${index}`))
  for (const uri of names) await connection.request('resources/subscribe', { uri })
  using one = await connection.listen()
  using two = await connection.listen()
  using three = await connection.listen()
  for (const uri of names.slice(0, 10)) await hub.call('test_change', { uris: [uri] })
  await expect.poll(() => uris(one, two, three).length, patience).toBe(10)
  three.close()
  await three.ended
  for (const uri of names.slice(10)) await hub.call('test_change', { uris: [uri] })

  await expect.poll(() => uris(one, two, three).length, patience).toBe(20)
  expect(uris(one, two, three).sort()).toEqual([...names].sort())
})

test('many changes of one resource become few notices, and the last change is never lost', async () => {
  const connection = await connectLegacy(hub)
  const [busy, last] = [counter('busy'), counter('the last')]
  for (const uri of [busy, last]) await connection.request('resources/subscribe', { uri })
  using notices = await connection.listen()
  await hub.call('test_change', { uris: Array.from({ length: 1_000 }, () => busy) })
  await hub.call('test_change', { uris: [last] })

  await expect.poll(() => uris(notices), patience).toEqual([busy, last])
})

test('the GET stream has no notices of resources without a subscription, or after an unsubscribe', async () => {
  const connection = await connectLegacy(hub)
  const other = await connectLegacy(hub)
  const [mine, theirs, dropped] = [counter('mine'), counter('theirs'), counter('dropped')]
  await connection.request('resources/subscribe', { uri: mine })
  await connection.request('resources/subscribe', { uri: dropped })
  await connection.request('resources/unsubscribe', { uri: dropped })
  await other.request('resources/subscribe', { uri: theirs })
  using notices = await connection.listen()
  await hub.call('test_change', { uris: [theirs, dropped] })
  await hub.call('test_change', { uris: [mine] })

  await expect.poll(() => uris(notices), patience).toEqual([mine])
})

test('the GET stream reports changed lists without a subscription', async () => {
  const connection = await connectLegacy(hub)
  using notices = await connection.listen()
  await hub.call('test_trigger_tool_change')
  await hub.call('test_trigger_prompt_change')

  await expect
    .poll(() => methods(notices), patience)
    .toEqual(['notifications/tools/list_changed', 'notifications/prompts/list_changed'])
})

test('the GET stream has notices of changes before it was opened and while it was closed', async () => {
  const connection = await connectLegacy(hub)
  const [early, between] = [counter('early'), counter('between')]
  for (const uri of [early, between]) await connection.request('resources/subscribe', { uri })
  await hub.call('test_change', { uris: [early] })
  using first = await connection.listen()
  await expect.poll(() => uris(first), patience).toEqual([early])
  first.close()
  await expect.poll(() => hub.metric('signalbox_streams'), patience).toBe(0)
  await hub.call('test_change', { uris: [between] })

  using second = await connection.listen(first.lastId)
  await expect.poll(() => uris(second), patience).toEqual([between])
})

test('a client without Last-Event-ID gets every notice that it may have missed, once', async () => {
  const connection = await connectLegacy(hub)
  const [received, missed] = [counter('received'), counter('missed')]
  for (const uri of [received, missed]) await connection.request('resources/subscribe', { uri })
  using first = await connection.listen()
  await hub.call('test_change', { uris: [received] })
  await expect.poll(() => uris(first), patience).toEqual([received])
  first.close()
  await expect.poll(() => hub.metric('signalbox_streams'), patience).toBe(0)
  await hub.call('test_change', { uris: [missed] })

  using second = await connection.listen()
  await expect.poll(() => uris(second), patience).toContain(missed)
  expect(new Set(uris(second)).size).toBe(uris(second).length)
})

test('the GET stream can be resumed even before its first notice', async () => {
  const connection = await connectLegacy(hub)
  using first = await connection.listen()
  const { id, data } = await first.next()
  expect([typeof id, data]).toEqual(['string', ''])
  const uri = counter('lost')
  await connection.request('resources/subscribe', { uri })
  await hub.call('test_change', { uris: [uri] })
  await expect.poll(() => uris(first), patience).toEqual([uri])
  first.close()

  using again = await connection.listen(id)
  await expect.poll(() => uris(again), patience).toEqual([uri])
})

test('the GET stream is resumed from Last-Event-ID without a gap or a duplicate', async () => {
  const connection = await connectLegacy(hub)
  const all = Array.from({ length: 12 }, (_, index) => counter(`resume-${index}`))
  for (const uri of all) await connection.request('resources/subscribe', { uri })
  const seen: string[] = []
  let lastId: string | undefined
  for (let round = 0; round < 4; round++) {
    using notices = await connection.listen(lastId)
    for (const uri of all.slice(round * 3, round * 3 + 3)) await hub.call('test_change', { uris: [uri] })
    await expect.poll(() => uris(notices), patience).toHaveLength(3)
    // The client saw two of three before its connection broke.
    const two = notices.events.filter(({ data }) => data).slice(0, 2)
    seen.push(...two.map(({ data }) => uriOf(JSON.parse(data ?? ''))))
    lastId = two[1]?.id
    const missed = await connection.listen(lastId)
    seen.push(uriOf(await missed.message()))
    lastId = missed.lastId
    missed.close()
  }
  expect(seen).toEqual(all)
})

function counter(name: string): string {
  return `test://counter/${encodeURIComponent(name)}`
}

function uris(...streams: readonly EventStream[]): string[] {
  return streams.flatMap(({ messages }) => messages.map(uriOf))
}

function uriOf(message: unknown): string {
  const { method, params } = message as { method: string; params: { uri?: string } }
  expect(method).toBe('notifications/resources/updated')
  return params.uri ?? ''
}

function methods({ messages }: EventStream): unknown[] {
  return messages.map((message) => (message as { method?: unknown }).method)
}
