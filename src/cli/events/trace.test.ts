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
