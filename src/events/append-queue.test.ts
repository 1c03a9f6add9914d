import { expect, test } from 'vitest'
import { createAppendQueue } from './append-queue.ts'
import type { EventRecord } from './event-record.ts'

/** A log that is locked until `unlock` is called. */
function lockedQueue() {
  const lock = Promise.withResolvers<void>()
  let written = 0
  const queue = createAppendQueue(
    {
      async write(offered) {
        await lock.promise
        const count = offered().length
        written += count
        return { is: 'written', count, firstSeq: written - count + 1 }
      },
    },
    () => {},
  )
  return { queue, unlock: () => lock.resolve(), written: () => written }
}

function record(session: string | null, bytes = 0, type = 'tool-called'): EventRecord {
  const rest = { at: '', thread: null, correlation: null, parent: null, route: null, provider: null }
  return { id: 'e', type, session, payload: 'x'.repeat(bytes), ...rest }
}

/** Appends until the queue refuses, and returns how many it took. */
async function fill(append: (n: number) => Promise<number>): Promise<{ taken: number; error: unknown }> {
  let error: unknown
  let taken = 0
  while (error === undefined) {
    append(taken).catch((refusal: unknown) => (error ??= refusal))
    await Promise.resolve()
    await Promise.resolve()
    if (error === undefined) taken++
  }
  return { taken, error }
}

test('a session that causes too many events is refused alone', async () => {
  const { queue, unlock, written } = lockedQueue()
  const { taken, error } = await fill(() => queue.append(record('flooder')))
  expect({ taken, error }).toMatchObject({ taken: 1_000, error: { code: 'busy', message: /of this session/ } })
  const others = [
    queue.append(record('other')),
    queue.append(record(null)),
    queue.append(record('flooder', 0, 'session-ended')),
  ]
  // The outcome of a call that was let in is kept.
  queue.appendLater(record('flooder', 0, 'tool-answered'), () => expect.unreachable())
  unlock()
  await Promise.all(others)
  await queue.flush()
  expect(written()).toBe(1_004)
  await queue.append(record('flooder'))
})

test('a session has a share of the bytes too', async () => {
  const { queue, unlock } = lockedQueue()
  const { taken } = await fill(() => queue.append(record('flooder', 1024 * 1024)))
  expect(taken).toBe(16)
  unlock()
  await queue.append(record('other', 1024 * 1024))
})

test('programs leave places for people, however many sessions they have', async () => {
  const { queue, unlock } = lockedQueue()
  const { taken, error } = await fill((n) => queue.append(record(`session ${n % 100}`)))
  expect({ taken, error }).toMatchObject({ taken: 45_000, error: { code: 'busy' } })
  const person = queue.append(record(null))
  unlock()
  await person
})
