import { expect, onTestFinished, test } from 'vitest'
import type { LoopShare } from './loop-share.ts'
import { createLoopShare } from './loop-share.ts'

function share(): LoopShare {
  const created = createLoopShare(0)
  onTestFinished(() => created[Symbol.dispose]())
  return created
}

test('a program may use a tenth of a core, after a burst', () => {
  const one = share()
  one.charge(90)
  expect(one.restMs(0)).toBe(0)
  one.charge(20)
  expect(one.restMs(0)).toBe(120)
  expect(one.restMs(120)).toBe(0)
  expect(workWithin(one, 10_000)).toBeCloseTo(1_000, -2)
})

test('programs that have used up their shares divide a fifth of a core', () => {
  const shares = Array.from({ length: 10 }, share)
  for (const each of shares) each.charge(101)
  const rests = shares.map((each) => each.restMs(0))
  expect(rests.at(-1)).toBe(150)
  for (const each of shares.slice(1)) each[Symbol.dispose]()
  expect(shares[0]?.restMs(0)).toBe(30)
})

test('a program that has ended takes nothing from the others, even if its last bytes come later', () => {
  const [ended, other] = [share(), share()]
  ended[Symbol.dispose]()
  for (const each of [ended, other]) each.charge(101)
  expect(ended.restMs(0)).toBe(30)
  expect(other.restMs(0)).toBe(30)
  const third = share()
  third.charge(101)
  expect(third.restMs(0)).toBe(30)
})

test('one expensive message is not paid for long', () => {
  const one = share()
  one.charge(60_000)
  expect(one.restMs(0)).toBeLessThan(3_000)
})

test('work that turns out to be for an answer is taken back', () => {
  const one = share()
  one.charge(150)
  one.charge(-150)
  expect(one.restMs(0)).toBe(0)
})

/** Works for a millisecond whenever it may. */
function workWithin(one: LoopShare, ms: number): number {
  let worked = 0
  for (let at = 120; at < 120 + ms;) {
    const restMs = one.restMs(at)
    if (restMs === 0) {
      one.charge(1)
      worked++
    }
    at += Math.max(restMs, 1)
  }
  return worked
}
