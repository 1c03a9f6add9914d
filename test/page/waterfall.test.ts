/** How a trace becomes a waterfall, without a browser. */
import { expect, test } from 'vitest'
import type { Span } from '../../src/api/trace.ts'
import { createAxis } from '../../web/activity/time-axis.ts'
import { toWaterfall } from '../../web/activity/waterfall.ts'
import { findCall } from '../../web/session/same-call.ts'

const began = Date.parse('2026-01-01T12:00:00.000Z')

function span(type: string, after: number, more: Partial<Span> = {}): Span {
  const at = new Date(began + after).toISOString()
  return { id: `${type} ${after}`, type, at, after_ms: after, session: 's1', payload: {}, spans: [], ...more }
}

const seconds = (count: number) => count * 1_000

/** 20 s of work, of which a call takes 2; then the next one is held for six minutes. */
function heldTurn(): Span {
  const approval = span('approval-requested', seconds(20), { parent: 'held', payload: { approval: 'p1' } })
  const held = span('tool-called', seconds(20), { id: 'held', outcome: 'running', spans: [approval] })
  const call = span('tool-called', seconds(5), { ms: seconds(2), payload: { tool: 'own_shell' } })
  return span('turn-started', 0, { outcome: 'running', payload: { chain: ['checkout'] }, spans: [call, held] })
}

test('a wait over a fifth of the turn is folded to 64 pixels, and its true length stands in words', () => {
  const { totalMs, waits, heldMs, rows } = toWaterfall([heldTurn()], [], began + seconds(380))
  expect(totalMs).toBe(seconds(380))
  expect(waits).toEqual([{ from: seconds(20), to: seconds(380) }])
  expect(heldMs).toBe(seconds(360))
  expect(rows.at(-1)).toMatchObject({ state: 'held', segments: [{ is: 'hold' }], ms: seconds(360) })

  const axis = createAxis(totalMs, waits, 464)
  expect(axis.folds).toEqual([{ from: expect.closeTo(400 / 464), to: expect.closeTo(1), label: '6 min' }])
  expect(axis.at(seconds(10)) * 464).toBeCloseTo(200)
  expect(axis.ticks.map(({ label }) => label)).toEqual(['0 s', '5 s', '10 s', '15 s'])
})

test('a short wait is drawn as long as it is', () => {
  const axis = createAxis(seconds(100), [{ from: seconds(10), to: seconds(25) }], 464)
  expect(axis.folds).toEqual([])
  expect(axis.at(seconds(50))).toBe(0.5)
})

test('time between the calls of an agent whose model the hub does not see is shown as its own', () => {
  const { rows } = toWaterfall([heldTurn()], [], began + seconds(380))
  expect(rows.map(({ kind, name, from, to }) => [kind, name, from / 1_000, to / 1_000])).toEqual([
    ['turn', 'Turn', 0, 380],
    ['model', 'checkout', 0, 5],
    ['tool', 'own_shell', 5, 7],
    ['model', 'checkout', 7, 20],
    ['tool', '', 20, 380],
  ])
})

test('a call of the log is found in the thread by its name, its arguments and its time', () => {
  const call = (key: string, name: string, parameters: Record<string, unknown>, at: number) =>
    ({ is: 'call', key, at: new Date(began + at).toISOString(), name, parameters, outcome: { is: 'running' } }) as const
  const calls = [
    call('a', 'mcp__signalbox__terminal_send_text', { text: 'one' }, 0),
    call('b', 'mcp__signalbox__terminal_send_text', { text: 'two' }, 100),
    call('c', 'Bash', { command: 'ls' }, 200),
  ]
  const at = new Date(began).toISOString()
  expect(findCall(calls, { at, tool: 'terminal_send_text', arguments: { text: 'two' } })?.key).toBe('b')
  const own = { command: 'ls', agent_tool: 'Bash', agent_arguments: { command: 'ls' } }
  expect(findCall(calls, { at, tool: 'own_shell', arguments: own })?.key).toBe('c')
  expect(findCall(calls, { at, tool: 'own_edit', arguments: {} })).toBeUndefined()
})
