import { expect, test } from 'vitest'
import type { ShownSpan } from './trace.ts'
import { renderTrace } from './trace.ts'

function span(
  type: string,
  after_ms: number,
  payload: ShownSpan['payload'],
  spans: readonly ShownSpan[] = [],
): ShownSpan {
  return { type, after_ms, payload, spans }
}

const about = { approval: 'a1', tool: 'git_push', digest: 'f00', policy_version: 'hub@2' }
const decision = { effect: 'ask', rule: 'hub#3', policy_version: 'hub@2' }
const called = { tool: 'git_push', arguments: { force: true }, decision, role: 'agent', token_id: 't1' }

test('each line of a trace shows only fields that differ from the lines above it', () => {
  const call = span('tool-called', 0, called, [
    span('approval-requested', 12, { ...about, status: 'pending' }),
    span('approval-decided', 900, { ...about, status: 'approved', by: 'ada', token_id: 't2' }),
    span('approval-consumed', 901, { ...about, status: 'consumed', by: 'ada' }),
    { ...span('tool-answered', 950, { tool: 'git_push', outcome: 'ok', approval: 'a1' }), route: 'mcp:stdio' },
  ])
  expect(renderTrace([{ ...call, route: 'mcp:stdio' }]).split('\n')).toEqual([
    '└─ +0 ms  tool-called  mcp:stdio  tool=git_push  arguments={"force":true}  effect=ask  rule=hub#3  policy_version=hub@2',
    '   ├─ +12 ms  approval-requested  approval=a1  status=pending',
    '   ├─ +900 ms  approval-decided  status=approved  by=ada',
    '   ├─ +901 ms  approval-consumed',
    '   └─ +950 ms  tool-answered  outcome=ok',
  ])
})

test('a call always shows its tool, even inside or after another call of the same tool', () => {
  const answered = span('tool-answered', 3, { tool: 'git_push', outcome: 'ok' })
  const inner = span('tool-called', 1, { tool: 'git_push' }, [answered])
  const outer = span('tool-called', 0, { tool: 'git_push' }, [inner, answered])
  expect(renderTrace([outer, inner]).split('\n')).toEqual([
    '├─ +0 ms  tool-called  tool=git_push',
    '│  ├─ +1 ms  tool-called  tool=git_push',
    '│  │  └─ +3 ms  tool-answered  outcome=ok',
    '│  └─ +3 ms  tool-answered  outcome=ok',
    '└─ +1 ms  tool-called  tool=git_push',
    '   └─ +3 ms  tool-answered  outcome=ok',
  ])
})

test('a call without a recorded outcome says that its outcome is unknown', () => {
  const call: ShownSpan = { ...span('tool-called', 0, { tool: 'git_push' }), outcome: 'unknown' }
  expect(renderTrace([call])).toBe('└─ +0 ms  tool-called  tool=git_push  outcome unknown')
})

test('escapes text of an agent that would move the cursor', () => {
  const line = renderTrace([span('tool-called', 0, { tool: 'x\u001b[2J', arguments: { text: '\u202e' } })])
  expect(line).toBe('└─ +0 ms  tool-called  tool=x\\u001b[2J  arguments={"text":"\\u202e"}')
})

test('a turn shows its chain, its models with tokens and cost, and which parts are not over', () => {
  const usage = { input_tokens: 120, output_tokens: 30, cost_usd: 0.0015 }
  const model = span('model-called', 5, { model: 'gpt-5' }, [
    span('model-answered', 9, { model: 'gpt-5', ms: 4, outcome: 'ok', usage }),
  ])
  const turn: ShownSpan = {
    ...span('turn-started', 0, { chain: ['a', 'b'] }, [
      { ...model, ms: 4, route: 'openai' },
      { ...span('tool-called', 10, { tool: 'own_shell' }), outcome: 'running' },
    ]),
    outcome: 'cut',
    detached: 'missing',
  }
  expect(renderTrace([turn]).split('\n')).toEqual([
    '└─ +0 ms  turn-started  chain=a → b  cut: its session has ended  (its parent is not in the log)',
    '   ├─ +5 ms  model-called  openai  model=gpt-5  took 4 ms',
    '   │  └─ +9 ms  model-answered  ms=4  outcome=ok  tokens=120 in, 30 out  cost=$0.0015',
    '   └─ +10 ms  tool-called  tool=own_shell  still running',
  ])
})
