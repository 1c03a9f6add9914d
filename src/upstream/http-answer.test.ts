import { expect, test } from 'vitest'
import { hearing, request } from '../../test/fixtures/transport-listener.ts'
import { createAnswer } from './http-answer.ts'
import type { Body, HttpClient } from './http-client.ts'

test('a stream that repeats its answer gets no more time for that', () => {
  const answer = createAnswer({
    request: request(1, 'tools/call'),
    client: {} as HttpClient,
    listener: hearing(),
    maxBytes: 1_000,
    headers: () => ({}),
    silenceMs: undefined,
    canResume: () => false,
    begun() {},
    ended() {},
    abandoned() {},
  })
  const isAnswer: unknown[] = []
  const body: Body = { step: (step) => void isAnswer.push(step()), mayKeep: () => true }
  const reader = answer.read(200, { 'content-type': 'text/event-stream' }, body)
  reader.data(Buffer.from('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'.repeat(3)))
  expect(isAnswer).toEqual([true, false, false])
  answer.drop()
})
