import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Topic } from './notices.ts'
import { createNotices, noticeOf } from './notices.ts'

const hub = (uri: string): Topic => ({ kind: 'hub', uri })
const upstream = (uri: string): Topic => ({ kind: 'upstream', uri })

test('a notice goes only to subscribers of its resource', async () => {
  const notices = createNotices()
  const [mine, other] = [listener(), listener()]
  notices.subscribe(hub('a:1'), mine)
  notices.subscribe(hub('a:2'), other)
  notices.resourceChanged('a:1')
  await turn()
  expect(mine.received).toEqual([hub('a:1')])
  expect(other.received).toEqual([])
})

test('many changes of one resource within one turn of the event loop are one notice', async () => {
  const notices = createNotices()
  const mine = listener()
  notices.subscribe(hub('a:1'), mine)
  for (let count = 0; count < 1000; count++) notices.resourceChanged('a:1')
  await turn()
  notices.resourceChanged('a:1')
  await turn()
  expect(mine.received).toEqual([hub('a:1'), hub('a:1')])
})

test('a subscriber that unsubscribed gets no notice, not even of an earlier change', async () => {
  const notices = createNotices()
  const mine = listener()
  notices.subscribe(hub('a:1'), mine)
  notices.resourceChanged('a:1')
  notices.unsubscribe(hub('a:1'), mine)
  await turn()
  expect(mine.received).toEqual([])
})

test('a change of a family notifies the subscribers of all its members', async () => {
  const notices = createNotices()
  const family = notices.family('events/')
  const [mine, other] = [listener(), listener('compositor:a')]
  for (const uri of ['events/5', 'events/9', 'else/1']) notices.subscribe(hub(uri), mine)
  notices.subscribe(upstream('events/5'), other)
  family.changed()
  await turn()
  expect(mine.received).toEqual([hub('events/5'), hub('events/9')])
  expect(other.received).toEqual([])
})

test('the lists of two faces are separate topics', async () => {
  const notices = createNotices()
  const mine = listener()
  notices.subscribe({ kind: 'list', list: 'tools' }, mine)
  notices.listChanged('tools', 'compositor:a')
  await turn()
  expect(mine.received).toEqual([])
  notices.listChanged('tools')
  await turn()
  expect(mine.received.map((topic) => noticeOf(topic).method)).toEqual(['notifications/tools/list_changed'])
})

test('one URI is a different resource at the hub and at the upstreams of each face', async () => {
  const notices = createNotices()
  const [ofHub, ofOne, ofOther] = [listener('compositor:a'), listener('compositor:a'), listener('compositor:b')]
  notices.subscribe(hub('a:1'), ofHub)
  for (const each of [ofOne, ofOther]) notices.subscribe(upstream('a:1'), each)
  notices.upstreamResourceChanged('a:1', 'compositor:a')
  await turn()
  expect([ofHub, ofOne, ofOther].map(({ received }) => received.length)).toEqual([0, 1, 0])
  notices.resourceChanged('a:1')
  await turn()
  expect([ofHub, ofOne, ofOther].map(({ received }) => received.length)).toEqual([1, 1, 0])
})

test('no URI can imitate a list of another face', async () => {
  const notices = createNotices()
  const sent: unknown[] = []
  const spy = { ...listener('compositor:a'), send: (message: unknown) => void sent.push(message) }
  for (const uri of ['list:tools:compositor:b', '["list","compositor:b","tools"]', 'tools']) {
    for (const topic of [hub(uri), upstream(uri)]) notices.subscribe(topic, spy)
  }
  notices.listChanged('tools', 'compositor:b')
  notices.broadcast('compositor:b', { jsonrpc: '2.0', method: 'notifications/message' })
  await turn()
  expect([spy.received, sent]).toEqual([[], []])
})

test('the first and the last subscriber of an upstream resource are reported, per face', () => {
  const notices = createNotices()
  const reported: unknown[] = []
  using interest = notices.interest('compositor:a', (uri, isWanted) => void reported.push([uri, isWanted]))
  const [one, two, other] = [listener('compositor:a'), listener('compositor:a'), listener('compositor:b')]
  for (const each of [other, one, two]) notices.subscribe(upstream('a:1'), each)
  notices.subscribe(hub('a:2'), one)
  expect(interest.uris).toEqual(['a:1'])
  for (const each of [one, two, other]) notices.unsubscribe(upstream('a:1'), each)
  expect(reported).toEqual([
    ['a:1', true],
    ['a:1', false],
  ])
  expect(interest.uris).toEqual([])
})

function listener(faceId = 'management') {
  const received: Topic[] = []
  return { faceId, received, mark: (topic: Topic) => void received.push(topic) }
}
