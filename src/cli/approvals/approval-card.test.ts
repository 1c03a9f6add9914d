import { expect, test } from 'vitest'
import type { Approval } from '../../api/approval.ts'
import { renderApproval, renderGrant } from './approval-card.ts'
import { createApprovalQueue } from './approval-queue.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

const approval: Approval = {
  id: 'a1',
  session: 'fix',
  session_id: 's1',
  tool: 'github_create_issue',
  arguments: { repo: 'main', body: 'one\ntwo\x1b[2J', labels: ['a', 'b'] },
  digest: '',
  rule: 'hub#3',
  rule_reason: 'others read it',
  correlation: '4bf92f3577b34da6a3ce929d0e0e4736',
  policy_version: 'hub@2',
  status: 'pending',
  requested_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T01:00:00.000Z',
}

test('shows an approval in full, with text of several lines on several lines', () => {
  expect(renderApproval(approval, new Date('2026-01-01T00:00:05Z')).join('\n')).toBe(
    `session     fix
tool        github_create_issue
asked       5s ago, open until 2026-01-01T01:00:00.000Z
because of  hub#3 (hub@2): others read it
approval    a1
trace       4bf92f3577b34da6a3ce929d0e0e4736

repo: "main"
body:
  │ one
  │ two\\u001b[2J
labels: [
  "a",
  "b"
]`,
  )
  const answered = {
    ...approval,
    status: 'consumed',
    decided_by: 'ann',
    decided_at: 'noon',
    reason: 'fine',
    grant: 'g1',
  } as const
  expect(renderApproval(answered, new Date('2026-01-01T00:00:05Z'))).toEqual(
    expect.arrayContaining(['status      consumed: approved by ann at noon', 'reason      fine', 'grant       g1']),
  )
  expect(renderApproval({ ...approval, arguments: {} }, new Date()).at(-1)).toBe('no arguments')
})

test('reports hidden values outside the arguments, which could imitate such a report', () => {
  const hidden = [
    { at: '/password', characters: 15 },
    { at: '', characters: 7 },
  ]
  expect(renderApproval({ ...approval, hidden }, new Date())).toContain(
    'hidden      /password (15 characters), others (7 characters)',
  )
  const pretending = { ...approval, arguments: { path: '[redacted]' } }
  expect(renderApproval(pretending, new Date()).join('\n')).not.toContain('hidden')
})

test('shows the sessions and arguments that a grant covers', () => {
  expect(renderGrant({ tool: 'a_*' })).toEqual([
    'allows      a_*',
    'in          all sessions',
    'with        any arguments',
  ])
  expect(renderGrant({ tool: 'a', session: 'fix', when: { required: ['b'] } }).join('\n')).toContain('"required": [')
})

test('escapes text that would draw on the terminal, be invisible, or change the reading order', () => {
  expect(visibleText('a\x1b[2J\x9b1m\r\n\t\u202eb\u200bc\u2028d\u{e0041}')).toBe(
    'a\\u001b[2J\\u009b1m\\u000d\\u000a\\u0009\\u202eb\\u200bc\\u2028d\\u{e0041}',
  )
  expect(visibleText('Grüße, 日本語 🚂 \\u001b')).toBe('Grüße, 日本語 🚂 \\u001b')
})

test('keeps the current approval while others arrive, and moves a skipped one to the end', () => {
  const queue = createApprovalQueue()
  const at = (id: string, minute: number): Approval => ({
    ...approval,
    id,
    requested_at: `2026-01-01T00:0${minute}:00.000Z`,
  })
  queue.reset([at('b', 2), at('a', 1)])
  expect(queue.current?.id).toBe('a')
  expect(queue.update([at('c', 0), at('a', 1)])).toBeUndefined()
  expect([queue.current?.id, queue.size]).toEqual(['a', 3])
  queue.skip()
  expect(queue.current?.id).toBe('b')
  expect(queue.update([{ ...at('c', 0), status: 'denied' }])).toBeUndefined()
  expect(queue.update([{ ...at('b', 2), status: 'expired' }])).toMatchObject({ id: 'b', status: 'expired' })
  expect([queue.current?.id, queue.size]).toEqual(['a', 1])
  queue.reset([])
  queue.skip()
  expect(queue.current).toBeUndefined()
})
