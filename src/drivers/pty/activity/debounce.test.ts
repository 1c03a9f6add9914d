import { expect, test } from 'vitest'
import type { Activity } from '../../../api/session.ts'
import type { Debounced } from './debounce.ts'
import { debounce } from './debounce.ts'

const began = new Date(0).toISOString()
const at = (is: Activity['is']): Debounced => ({
  activity: { is, since: began, source: 'screen', confidence: 0.9 },
  pause: undefined,
})
const seems = (is: Activity['is'], source: Activity['source'] = 'screen') => ({ is, source, confidence: 0.9 })
const iso = (ms: number) => new Date(ms).toISOString()

test('a pause of less than three seconds does not end work', () => {
  const paused = debounce(at('working'), seems('idle'), 10_000)
  expect(paused.activity.is).toBe('working')
  const resumed = debounce(paused, seems('working'), 12_900)
  expect(resumed).toMatchObject({ activity: { is: 'working', since: began }, pause: undefined })
  expect(debounce(resumed, seems('idle'), 13_100).activity.is).toBe('working')
})

test('after three seconds the session is idle, since the start of the pause', () => {
  const paused = debounce(debounce(at('working'), seems('idle'), 10_000), seems('idle'), 12_000)
  expect(paused.pause?.endsAt).toBe(13_000)
  expect(debounce(paused, seems('idle'), 13_000).activity).toMatchObject({ is: 'idle', since: iso(10_000) })
})

test('an unknown screen changes nothing for a moment, and makes the session unknown if it stays', () => {
  const drawing = debounce(at('idle'), seems('unknown', 'none'), 10_000)
  expect(drawing.activity.is).toBe('idle')
  expect(debounce(drawing, seems('working'), 10_200).activity.is).toBe('working')
  expect(debounce(drawing, seems('unknown', 'none'), 13_000).activity.is).toBe('unknown')
})

test('waiting for a person counts at once, also during a pause', () => {
  const paused = debounce(at('working'), seems('idle'), 10_000)
  expect(debounce(paused, seems('waiting'), 10_100)).toMatchObject({
    activity: { is: 'waiting', since: iso(10_100) },
    pause: undefined,
  })
})

test('new work counts at once', () => {
  expect(debounce(at('idle'), seems('working'), 5_000).activity).toMatchObject({ is: 'working', since: iso(5_000) })
})

test('the end of a program counts at once', () => {
  expect(debounce(at('working'), seems('idle', 'exit'), 5_000).activity).toMatchObject({ is: 'idle', source: 'exit' })
})

test('the first known activity counts at once', () => {
  expect(debounce(at('unknown'), seems('idle'), 5_000).activity.is).toBe('idle')
})
