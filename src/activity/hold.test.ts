import { expect, test } from 'vitest'
import type { Activity } from '../api/session.ts'
import type { Held } from './hold.ts'
import { hold } from './hold.ts'

const began = new Date(0).toISOString()
const at = (is: Activity['is']): Held => ({
  activity: { is, since: began, source: 'screen', confidence: 0.9 },
  pause: undefined,
})
const seems = (is: Activity['is'], source: Activity['source'] = 'screen') => ({ is, source, confidence: 0.9 })
const iso = (ms: number) => new Date(ms).toISOString()

test('work that pauses for less than three seconds is one piece of work', () => {
  const paused = hold(at('working'), seems('idle'), 10_000)
  expect(paused.activity.is).toBe('working')
  const resumed = hold(paused, seems('working'), 12_900)
  expect(resumed).toMatchObject({ activity: { is: 'working', since: began }, pause: undefined })
  expect(hold(resumed, seems('idle'), 13_100).activity.is).toBe('working')
})

test('after three seconds it is idle, since it began to be', () => {
  const paused = hold(hold(at('working'), seems('idle'), 10_000), seems('idle'), 12_000)
  expect(paused.pause?.heldUntil).toBe(13_000)
  expect(hold(paused, seems('idle'), 13_000).activity).toMatchObject({ is: 'idle', since: iso(10_000) })
})

test('a screen that nobody knows for a moment changes nothing, and is unknown if it stays', () => {
  const drawing = hold(at('idle'), seems('unknown', 'none'), 10_000)
  expect(drawing.activity.is).toBe('idle')
  expect(hold(drawing, seems('working'), 10_200).activity.is).toBe('working')
  expect(hold(drawing, seems('unknown', 'none'), 13_000).activity.is).toBe('unknown')
})

test('that it waits for a person is said at once, also in the middle of a pause', () => {
  const paused = hold(at('working'), seems('idle'), 10_000)
  expect(hold(paused, seems('waiting'), 10_100)).toMatchObject({
    activity: { is: 'waiting', since: iso(10_100) },
    pause: undefined,
  })
})

test('that it works again is said at once', () => {
  expect(hold(at('idle'), seems('working'), 5_000).activity).toMatchObject({ is: 'working', since: iso(5_000) })
})

test('the end of a program is said at once', () => {
  expect(hold(at('working'), seems('idle', 'exit'), 5_000).activity).toMatchObject({ is: 'idle', source: 'exit' })
})

test('the first thing known of it is said at once', () => {
  expect(hold(at('unknown'), seems('idle'), 5_000).activity.is).toBe('idle')
})
