import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createNoticeQueue } from './notice-queue.ts'
import type { Topic } from './notices.ts'
import { createNotices, listTopic, noticeOf } from './notices.ts'

test('a notice goes to those who subscribed to that resource, and to nobody else', async () => {
  const notices = createNotices()
  const [mine, other] = [listener(), listener()]
  notices.subscribe('a:1', mine)
  notices.subscribe('a:2', other)
  notices.resourceChanged('a:1')
  await turn()
  expect(mine.heard).toEqual(['a:1'])
  expect(other.heard).toEqual([])
})

test('many changes of one resource within a turn are one notice', async () => {
  const notices = createNotices()
  const mine = listener()
  notices.subscribe('a:1', mine)
  for (let count = 0; count < 1000; count++) notices.resourceChanged('a:1')
  await turn()
  notices.resourceChanged('a:1')
  await turn()
  expect(mine.heard).toEqual(['a:1', 'a:1'])
})

test('whoever unsubscribed hears nothing more, not even of what changed before', async () => {
  const notices = createNotices()
  const mine = listener()
  notices.subscribe('a:1', mine)
  notices.resourceChanged('a:1')
  notices.unsubscribe('a:1', mine)
  await turn()
  expect(mine.heard).toEqual([])
})

test('a family changes as one, for whichever of its members is subscribed to', async () => {
  const notices = createNotices()
  const family = notices.family('events/')
  const mine = listener()
  notices.subscribe('events/5', mine)
  notices.subscribe('events/9', mine)
  notices.subscribe('else/1', mine)
  family.changed()
  await turn()
  expect(mine.heard.toSorted()).toEqual(['events/5', 'events/9'])
})

test('lists of two faces are two topics', async () => {
  const notices = createNotices()
  const mine = listener()
  notices.subscribe(listTopic('tools', 'management'), mine)
  notices.listChanged('tools', 'compositor:a')
  await turn()
  expect(mine.heard).toEqual([])
  notices.listChanged('tools')
  await turn()
  expect(mine.heard.map((topic) => noticeOf(topic).method)).toEqual(['notifications/tools/list_changed'])
})

test('while nobody reads, topics wait, once each and parked once each, and are delivered when somebody does', async () => {
  let isReady = false
  const delivered: Topic[][] = []
  const parked: Topic[][] = []
  const queue = createNoticeQueue({
    faceId: 'management',
    isReady: () => isReady,
    deliver: (topics) => void delivered.push([...topics]),
    park: async (topics) => void parked.push([...topics]),
  })
  for (const topic of ['a', 'b', 'a', 'a']) queue.mark(topic)
  await turn()
  queue.mark('a')
  await turn()
  expect(delivered).toEqual([])
  expect(parked).toEqual([['a', 'b']])
  isReady = true
  queue.flush()
  queue.flush()
  expect(delivered).toEqual([['a', 'b']])
})

test('what waited when the last hub stopped is delivered by the next', () => {
  const delivered: Topic[][] = []
  const queue = createNoticeQueue({
    faceId: 'management',
    isReady: () => true,
    deliver: (topics) => void delivered.push([...topics]),
    waiting: ['a'],
  })
  queue.flush()
  expect(delivered).toEqual([['a']])
})

function listener() {
  const heard: Topic[] = []
  return { faceId: 'management', heard, mark: (topic: Topic) => heard.push(topic) }
}
