import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../test/fixtures/until.ts'
import { createPacedSet } from './paced-set.ts'

test('passes on the first item at once and the others together after a pause, each once', async () => {
  const taken: (readonly string[])[] = []
  using set = createPacedSet<string>(
    (items) => void taken.push(items),
    () => 50,
  )
  set.add('a')
  expect(taken).toEqual([['a']])
  for (let count = 0; count < 10; count++) set.add('a', 'b')
  expect(taken).toHaveLength(1)
  await until(() => taken.length === 2)
  expect(taken[1]).toEqual(['a', 'b'])
})

test('passes on nothing while the consumer is still busy', async () => {
  const running: PromiseWithResolvers<void>[] = []
  using set = createPacedSet<string>(
    () => {
      running.push(Promise.withResolvers())
      return running.at(-1)?.promise
    },
    () => 0,
  )
  set.add('a')
  set.add('b')
  await turn()
  expect(running).toHaveLength(1)
  running[0]?.resolve()
  await until(() => running.length === 2)
})

test('passes on nothing after it is disposed', async () => {
  let count = 0
  const set = createPacedSet<string>(
    () => void count++,
    () => 0,
  )
  set.add('a')
  set.add('b')
  set[Symbol.dispose]()
  set.add('c')
  for (let each = 0; each < 10; each++) await turn()
  expect(count).toBe(1)
})
