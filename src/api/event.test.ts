import { expect, expectTypeOf, test } from 'vitest'
import type { EventPayload, HubEvent, LoggedEvent, NewEvent } from './event.ts'
import { readEvent } from './event.ts'

const called = { tool: 'git_push', arguments: { force: true }, decision: { effect: 'ask', policy_version: 'hub@2' } }

function stored(type: string, payload: LoggedEvent['payload']): LoggedEvent {
  return { seq: 1, id: 'e1', at: '2026-01-01T00:00:00.000Z', type, payload }
}

test('an event of this release is read with the payload of its type', () => {
  const event = readEvent(stored('tool-called', called), 'tool-called')
  expect(event?.payload.decision?.effect).toBe('ask')
  expect(readEvent(stored('hub-stopped', {}), 'hub-stopped')).toBeDefined()
})

test('fields that a newer release adds do not hide an event', () => {
  const newer = stored('tool-called', { ...called, colour: 'red' })
  expect(readEvent(newer, 'tool-called')).toBe(newer)
})

test.each([
  ['an event of another type', 'tool-answered', called],
  ['an event of a type that this release does not know', 'tool-dreamt', called],
  ['a payload that lacks a field', 'tool-called', { tool: 'git_push' }],
  ['a payload with a field of another kind', 'tool-called', { ...called, arguments: '[unreadable]' }],
])('%s is not taken for a call', (_, type, payload) => {
  expect(readEvent(stored(type, payload), 'tool-called')).toBeUndefined()
})

test('the type of an event decides which payload it takes', () => {
  expectTypeOf<{ type: 'job-queued'; payload: { name: string; priority: number } }>().toExtend<NewEvent>()
  expectTypeOf<{ type: 'job-queued'; payload: { name: string } }>().not.toExtend<NewEvent>()
  expectTypeOf<{ type: 'job-queued'; payload: EventPayload<'hub-started'> }>().not.toExtend<NewEvent>()
  expectTypeOf<{ type: 'job-dreamt'; payload: { name: string } }>().not.toExtend<NewEvent>()
  expectTypeOf<Extract<HubEvent, { type: 'job-queued' }>['payload']['priority']>().toEqualTypeOf<number>()
  // @ts-expect-error: the union knows this type, and its payload has a version.
  const wrong: NewEvent = { type: 'hub-started', payload: { pid: 1, url: 'http://127.0.0.1' } }
  expect(wrong).toBeDefined()
})
