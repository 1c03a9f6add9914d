import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notification } from '../mcp/mcp.ts'
import type { ConnectionRecords, StoredEvent } from './connection-records.ts'
import type { Outlet } from './reply.ts'
import { createResumableStream, parseEventId } from './resumable-stream.ts'

/** Enough of the records for one stream, in memory. The tests of `connections/` use both store engines. */
function memoryRecords() {
  const events: StoredEvent[] = []
  const fault = { is: false }
  const records = {
    openStream: async () => {},
    completeStream: async () => {},
    append: async (_id: string, _stream: string, added: readonly StoredEvent[]) => {
      if (fault.is) throw new Error('the disk is full')
      events.push(...added)
    },
    readStream: async (_id: string, _stream: string, afterSeq: number) => ({
      isComplete: false,
      nextSeq: (events.at(-1)?.seq ?? 0) + 1,
      events: events.filter(({ seq }) => seq > afterSeq),
    }),
  } as unknown as ConnectionRecords
  return { records, fault }
}

function createOutlet() {
  const sent: string[] = []
  const listeners: (() => void)[] = []
  const state = { isOpen: true, isReady: true }
  const outlet: Outlet = {
    get isOpen() {
      return state.isOpen
    },
    get isReady() {
      return state.isReady
    },
    send: (message, eventId) => sent.push(`${eventId ?? '-'} ${'method' in message ? message.method : 'answer'}`),
    prime: (eventId) => sent.push(eventId),
    retryAfter: () => {},
    onDrain: () => {},
    onClose: (listener) => listeners.push(listener),
    end: () => close(),
  }
  function close() {
    state.isOpen = false
    for (const listener of listeners.splice(0)) listener()
  }
  return { outlet, sent, close }
}

function open(options: { canPrime?: boolean; onDeserted?: () => void } = {}) {
  const { records, fault } = memoryRecords()
  const errors: unknown[] = []
  const { canPrime = true, onDeserted } = options
  const common = { records, connectionId: 'c', id: 's', canPrime, onError: (error: unknown) => errors.push(error) }
  const stream = createResumableStream({ ...common, ...(onDeserted && { onDeserted }) })
  const say = (...methods: string[]) => stream.push(methods.map((method) => notification(method)))
  return { stream, say, fault, errors }
}

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('a client that resumes with its last id gets the events it missed once, and then live events', async () => {
  const { stream, say } = open()
  const first = createOutlet()
  await stream.attach(first.outlet)
  await say('a', 'b')
  first.close()
  await say('c', 'd')
  const second = createOutlet()
  expect(await stream.attach(second.outlet, 2)).toBe(true)
  await say('e')
  expect(first.sent).toEqual(['s.1 a', 's.2 b'])
  expect(second.sent).toEqual(['s.2', 's.3 c', 's.4 d', 's.5 e'])
})

test('with several open streams, each message is sent once, on the newest', async () => {
  const { stream, say } = open()
  const [older, newer] = [createOutlet(), createOutlet()]
  await stream.attach(older.outlet)
  await stream.attach(newer.outlet)
  await say('a')
  newer.close()
  await say('b')
  expect([older.sent, newer.sent]).toEqual([['s.2 b'], ['s.1 a']])
})

test('a client without an id gets the messages of its last stream again, once each, and nothing older', async () => {
  const { stream, say } = open()
  const [first, second, third] = [createOutlet(), createOutlet(), createOutlet()]
  await stream.attachWithoutId(first.outlet)
  await say('a', 'b', 'a')
  first.close()
  await stream.attachWithoutId(second.outlet)
  second.close()
  await stream.attachWithoutId(third.outlet)
  expect(first.sent).toEqual(['s.1', 's.2 a', 's.3 b', 's.4 a'])
  expect(second.sent).toEqual(['s.5', 's.6 a', 's.7 b'])
  expect(third.sent).toEqual(['s.8', 's.9 a', 's.10 b'])
})

test('an old client never gets an event without a message', async () => {
  const { stream, say } = open({ canPrime: false })
  const { outlet, sent } = createOutlet()
  await stream.attachWithoutId(outlet)
  await say('a')
  expect(sent).toEqual(['s.2 a'])
})

test('when the store fails, messages are still sent and the error is reported', async () => {
  const { stream, say, fault, errors } = open()
  const { outlet, sent } = createOutlet()
  await stream.attach(outlet)
  fault.is = true
  await say('a')
  fault.is = false
  await say('b')
  expect(sent).toEqual(['- a', 's.1 b'])
  expect(errors).toHaveLength(1)
})

test('a stream without a reader for a minute is deserted, but not one that was resumed or is complete', async () => {
  const onDeserted = vi.fn<() => void>()
  const { stream } = open({ onDeserted })
  const [first, second] = [createOutlet(), createOutlet()]
  await stream.attach(first.outlet)
  first.close()
  vi.advanceTimersByTime(59_000)
  await stream.attach(second.outlet, 0)
  vi.advanceTimersByTime(120_000)
  expect(onDeserted).not.toHaveBeenCalled()
  second.close()
  vi.advanceTimersByTime(60_000)
  expect(onDeserted).toHaveBeenCalledTimes(1)

  const done = open({ onDeserted })
  const third = createOutlet()
  await done.stream.attach(third.outlet)
  await done.stream.complete()
  vi.advanceTimersByTime(120_000)
  expect(onDeserted).toHaveBeenCalledTimes(1)
})

test.each(['', 's', 's.', 's.x', '.1', 's.1.2', 's.-1', 'S.1', 's.1234567890123456'])(
  '"%s" is not an event id',
  (text) => {
    expect(parseEventId(text)).toBeUndefined()
  },
)
