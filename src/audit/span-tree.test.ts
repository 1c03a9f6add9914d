import { expect, test } from 'vitest'
import type { LoggedEvent } from '../api/event.ts'
import type { Span } from '../api/trace.ts'
import { toTree } from './span-tree.ts'

function event(id: string, type: string, second: number, parent?: string): LoggedEvent {
  const at = `2026-01-01T00:00:0${second}.000Z`
  return { seq: second, id, type, at, correlation: 'c', payload: { of: id }, ...(parent !== undefined && { parent }) }
}

test('events of a call are below it, in order, with the time since its start', () => {
  const tree = toTree([
    event('call', 'tool-called', 0),
    event('asked', 'approval-requested', 1, 'call'),
    event('decided', 'approval-decided', 2, 'call'),
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

test('a nested call is below the outer call, and a later event is below neither', () => {
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

test('a call that was made again is not below the first one, even if both wait at the same time', () => {
  const again = { ...event('again', 'tool-called', 1), correlation: 'd' }
  const tree = toTree([
    event('first', 'tool-called', 0),
    again,
    event('first done', 'tool-answered', 2, 'first'),
    { ...event('again done', 'tool-answered', 3, 'again'), correlation: 'd' },
  ])
  expect(tree).toMatchObject([
    { id: 'first', correlation: 'c', spans: [{ id: 'first done' }] },
    { id: 'again', correlation: 'd', spans: [{ id: 'again done' }] },
  ])
})

test('the outcome of a call is unknown if the log ends before it', () => {
  const call = event('call', 'tool-called', 0)
  expect(toTree([call, event('asked', 'approval-requested', 1, 'call')])).toMatchObject([{ outcome: 'unknown' }])
  expect(toTree([call, event('done', 'tool-answered', 1, 'call')])[0]).not.toHaveProperty('outcome')
})

test('each of two concurrent calls has its own approval below it, in any order of answers', () => {
  const tree = toTree([
    event('one', 'tool-called', 0),
    event('two', 'tool-called', 1),
    event('one asked', 'approval-requested', 2, 'one'),
    event('two asked', 'approval-requested', 3, 'two'),
    event('two decided', 'approval-decided', 4, 'two'),
    event('one decided', 'approval-decided', 5, 'one'),
    event('one done', 'tool-answered', 6, 'one'),
    event('two done', 'tool-answered', 7, 'two'),
  ])
  const idsBelow = (id: string) =>
    spansIn(tree)
      .find((span) => span.id === id)!
      .spans.map((span) => span.id)
  expect(idsBelow('one')).toEqual(expect.arrayContaining(['one asked', 'one decided', 'one done']))
  expect(idsBelow('two')).toEqual(['two asked', 'two decided', 'two done'])
})

function spansIn(spans: readonly Span[]): readonly Span[] {
  return spans.flatMap((span) => [span, ...spansIn(span.spans)])
}
