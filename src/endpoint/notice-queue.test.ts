import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Topic } from '../mcp/mcp.ts'
import { createNoticeQueue } from './notice-queue.ts'

const hub = (uri: string): Topic => ({ kind: 'hub', uri })

test('without a reader, topics wait and are parked once each, and are delivered when a reader comes', async () => {
  let isReady = false
  const delivered: Topic[][] = []
  const parked: Topic[][] = []
  const queue = createNoticeQueue({
    faceId: 'management',
    isReady: () => isReady,
    deliver: (topics) => void delivered.push([...topics]),
    park: async (topics) => void parked.push([...topics]),
  })
  for (const uri of ['a', 'b', 'a', 'a']) queue.mark(hub(uri))
  await turn()
  queue.mark(hub('a'))
  await turn()
  expect(delivered).toEqual([])
  expect(parked).toEqual([[hub('a'), hub('b')]])
  isReady = true
  queue.flush()
  queue.flush()
  expect(delivered).toEqual([[hub('a'), hub('b')]])
})

test('topics that waited when the last hub stopped are delivered by the next', () => {
  const delivered: Topic[][] = []
  const queue = createNoticeQueue({
    faceId: 'management',
    isReady: () => true,
    deliver: (topics) => void delivered.push([...topics]),
    waiting: [hub('a')],
  })
  queue.flush()
  expect(delivered).toEqual([[hub('a')]])
})
