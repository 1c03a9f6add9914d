import { expect, test } from 'vitest'
import type { Event } from '../api/event.ts'
import { toTree } from './trace.ts'

function event(id: string, type: string, second: number, parent?: string): Event {
  const at = `2026-01-01T00:00:0${second}.000Z`
  return { seq: second, id, type, at, correlation: 'c', payload: { of: id }, ...(parent !== undefined && { parent }) }
}

test('what belongs to a call stands below it, in order, with the time since it began', () => {
  const tree = toTree([
    event('call', 'tool-called', 0),
    event('asked', 'approval-requested', 1),
    event('decided', 'approval-decided', 2),
    event('done', 'tool-answered', 3, 'call'),
  ])
  expect(tree).toMatchObject([
    {
      id: 'call',
      after_ms: 0,
      spans: [
        { id: 'asked', after_ms: 1000 },
        { id: 'decided', after_ms: 2000 },
        { id: 'done', after_ms: 3000, spans: [] },
      ],
    },
  ])
})

test('a call inside a call stands below it, and what comes after both below neither', () => {
  const tree = toTree([
    event('outer', 'tool-called', 0),
    event('inner', 'tool-called', 1),
    event('inner done', 'tool-answered', 2, 'inner'),
    event('outer done', 'tool-answered', 3, 'outer'),
    event('later', 'session-ended', 4),
  ])
  expect(tree).toMatchObject([
    { id: 'outer', spans: [{ id: 'inner', spans: [{ id: 'inner done' }] }, { id: 'outer done' }] },
    { id: 'later', spans: [] },
  ])
})
