import { expect, test } from 'vitest'
import type { GovernedFacts } from './governed.ts'
import { governedOf, governedUnseen } from './governed.ts'

const shell: GovernedFacts = {
  gate: undefined,
  agent: undefined,
  isOfTemplate: true,
  agentOfCommand: undefined,
  agentInTerminal: undefined,
  project: undefined,
}
const gated: GovernedFacts = { ...shell, gate: { is: 'yes' }, agent: 'claude', agentOfCommand: 'claude', project: [] }
const setting = (file: string) => ({ file, kinds: ['hooks'] as const })

test('a session without a known agent has nothing to say', () => {
  expect(governedOf(shell)).toBeUndefined()
})

test('a gate that was seen is shown as it is', () => {
  expect(governedOf(gated)).toEqual({ is: 'yes' })
  const notYet = { is: 'no', reason: 'No hook yet.', unproven: true } as const
  expect(governedOf({ ...gated, gate: notYet })).toEqual(notYet)
})

test('an agent that the hub does not know keeps the word of its driver', () => {
  const gate = { is: 'partly', reason: 'It is not known.' } as const
  expect(governedOf({ ...shell, gate })).toEqual(gate)
})

test('before the hub has looked at the project, it is not governed yet', () => {
  expect(governedOf({ ...gated, project: undefined })).toMatchObject({ is: 'no', unproven: true })
})

test('the built-in agent has no project settings to obey', () => {
  expect(governedOf({ ...shell, gate: { is: 'yes' } })).toEqual({ is: 'yes' })
})

test.each<[string, Partial<GovernedFacts>, RegExp]>([
  ['without a gate', { gate: undefined }, /^In this mode Claude Code .*--template claude/],
  ['by another command', { gate: undefined, isOfTemplate: false }, /^Claude Code was started as a plain command/],
  [
    'by another command that is not known',
    { gate: undefined, isOfTemplate: false, agentOfCommand: undefined },
    /^It was not started with the command line of its template\./,
  ],
])('an agent %s is not governed', (_how, facts, reason) => {
  expect(governedOf({ ...gated, ...facts })).toEqual({ is: 'no', reason: expect.stringMatching(reason) })
})

test('an agent that runs in the terminal of a shell is not governed', () => {
  const reason = expect.stringContaining('signalbox new --template codex --mode both')
  expect(governedOf({ ...shell, agentInTerminal: 'codex' })).toEqual({ is: 'no', reason })
})

test('settings of the project come before the reason of the gate, and only some are named', () => {
  const gate = { is: 'yes', reason: 'Its permission mode is x.' } as const
  const project = ['a', 'b\u202e\nb', 'c', 'd', 'e'].map(setting)
  expect(governedOf({ ...gated, gate, project })).toEqual({
    is: 'partly',
    reason:
      'The project has settings that Claude Code obeys around the policy: a (hooks), b b (hooks), c (hooks), d (hooks) and 1 more. Its permission mode is x.',
  })
})

test('a gate behind another command line than that of the template is not whole', () => {
  expect(governedOf({ ...gated, isOfTemplate: false })).toMatchObject({ is: 'partly' })
})

test('another agent in the terminal of an agent with a gate is not under it', () => {
  expect(governedOf({ ...shell, gate: { is: 'yes' }, agentInTerminal: 'codex' })).toEqual({
    is: 'partly',
    reason: 'Codex runs in its terminal, without asking the hub.',
  })
})

test('an agent that the hub does not see is not governed yet, whatever shows which agent it is', () => {
  const none = { agent: undefined, agentOfCommand: undefined }
  for (const known of [{ agent: 'claude' }, { agentOfCommand: 'codex' }] as const) {
    expect(governedUnseen({ status: 'running' }, { ...none, ...known })).toMatchObject({ is: 'no', unproven: true })
  }
  expect(governedUnseen({ status: 'running' }, none)).toBeUndefined()
})
