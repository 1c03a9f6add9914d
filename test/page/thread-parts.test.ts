/** The decisions behind the thread on the page, without a browser. */
import { expect, test } from 'vitest'
import { linesBetween, linesOfPatch } from '../../web/parts/diff-lines.ts'
import { decisionsOf, decidedBy } from '../../web/session/call-decisions.ts'
import { fileEditsOf } from '../../web/session/file-edits.ts'
import type { ThreadItem, ToolCallItem } from '../../web/session/thread-items.ts'
import { aboutTurns, folded, toRows } from '../../web/session/thread-rows.ts'

const at = '2026-01-01T00:00:00Z'

function called(key: string, name: string, parameters: Readonly<Record<string, unknown>>): ToolCallItem {
  return { is: 'call', key, at, name, parameters, outcome: { is: 'error', error: 'no', ms: 1 } }
}

test('past turns are one line, then a line each, and then whole', () => {
  const turn = (key: string): ThreadItem[] => [
    { is: 'prompt', key, at, text: 'do it' },
    called(`${key}c`, 'Bash', {}),
    { is: 'end', key, at, status: 'completed' },
  ]
  const items = [...turn('a'), ...turn('b'), ...turn('c')]
  const kinds = (unfolded: Parameters<typeof toRows>[1]) => toRows(items, unfolded).map(({ is }) => is)
  expect(kinds(folded)).toEqual(['past', 'item', 'item'])
  expect(kinds({ past: true, turns: new Set() })).toEqual(['past', 'turn', 'turn', 'item', 'item'])
  expect(kinds({ past: true, turns: new Set(['a']) })).toEqual(['past', 'turn', 'item', 'item', 'turn', 'item', 'item'])
  expect(aboutTurns([{ key: 'a', items: turn('a') }])).toBe('1 call, 1 failed')
})

test('a call is found in the log by its name and arguments, in order, also where these were not recorded', () => {
  const decision = (rule: string) => ({ effect: 'allow', rule }) as const
  const recorded = [
    { names: ['terminal_send_text'], arguments: [{ text: '[not recorded]' }], decision: decision('hub#1') },
    { names: ['own_shell', 'Bash'], arguments: [{ command: 'ls' }], decision: decision('hub#2') },
    { names: ['own_shell', 'Bash'], arguments: [{ command: 'ls' }], decision: decision('hub#3') },
  ]
  const items = [
    called('1', 'Bash', { command: 'pwd' }),
    called('2', 'Bash', { command: 'ls' }),
    called('3', 'mcp__signalbox__terminal_send_text', { text: 'x' }),
    called('4', 'Bash', { command: 'ls' }),
    called('5', 'Bash', { command: 'ls' }),
  ]
  const found = decisionsOf(items, recorded)
  expect([...found].map(([key, { rule }]) => [key, rule])).toEqual([
    ['2', 'hub#2'],
    ['3', 'hub#1'],
    ['4', 'hub#3'],
  ])
  expect(decidedBy('template:codex#2')).toEqual({
    short: 'rule 2',
    long: 'Decided by rule 2 of the template:codex policy',
  })
})

test.each([
  ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, [{ is: 'texts', path: 'a', before: 'x', after: 'y' }]],
  ['Write', { file_path: 'a', content: 'y' }, [{ is: 'texts', path: 'a', before: '', after: 'y' }]],
  [
    'apply_patch',
    { changes: [{ path: 'a', kind: 'update', diff: '@@ -1 +1 @@\n-x\n+y' }] },
    [{ is: 'patch', path: 'a', patch: '@@ -1 +1 @@\n-x\n+y' }],
  ],
  [
    'apply_patch',
    { changes: [{ path: 'a', kind: 'delete', diff: 'x' }] },
    [{ is: 'texts', path: 'a', before: 'x', after: '' }],
  ],
  ['read_file', { path: 'a', content: 'y' }, []],
])('finds the edits of %s %j', (name, parameters, edits) => {
  expect(fileEditsOf(name, parameters)).toEqual(edits)
})

test('a changed line is paired with the line that it became', () => {
  const lines = linesBetween('a()\nconst x = run(one)\nb()\n', 'a()\nconst y = 1\nconst x = run(one, two)\nb()\n')
  expect(lines.map(({ kind, text, other }) => [kind, text, other])).toEqual([
    ['same', 'a()', undefined],
    ['del', 'const x = run(one)', 'const x = run(one, two)'],
    ['add', 'const y = 1', undefined],
    ['add', 'const x = run(one, two)', 'const x = run(one)'],
    ['same', 'b()', undefined],
  ])
})

test('a patch that cannot be read is shown as it is', () => {
  expect(linesOfPatch('+one\n-two').map(({ kind, text }) => [kind, text])).toEqual([
    ['add', 'one'],
    ['del', 'two'],
  ])
})
