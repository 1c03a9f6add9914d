import { expect, test } from 'vitest'
import { createAnswerRoom } from './answer-room.ts'

const megabyte = 1024 * 1024
const never = new AbortController().signal

test.each([
  ['64 requests', Array.from({ length: 64 }, () => 0)],
  ['requests of 32 MiB together', [20 * megabyte, 12 * megabyte]],
  ['one larger request', [33 * megabyte]],
])('%s are read without an answer, and the next when one of them is answered', async (_, sizes) => {
  const room = createAnswerRoom()
  const places = sizes.map((bytes) => {
    expect(room.isFull).toBe(false)
    return room.enter(bytes)
  })
  expect(room.isFull).toBe(true)
  const ready = room.ready(never)
  places[0]!.leave()
  await ready
  expect(room.isFull).toBe(false)
})
