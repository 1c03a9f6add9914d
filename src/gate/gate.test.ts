import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ApprovalOutcome } from '../api/approval.ts'
import { createRedactor } from '../base/redact.ts'
import { openEventLog } from '../events/events.ts'
import type { Verdict } from '../policy/policy.ts'
import type { GateRequest } from './gate.ts'
import { createGate } from './gate.ts'

/** A shell command of an agent, in the form that a driver sends: without token and MCP. */
const command: GateRequest = {
  session: 's1',
  tool: 'own_shell',
  arguments: { command: 'git push' },
  correlation: 'c1',
  signal: new AbortController().signal,
  progress() {},
}
const verdict = (effect: Verdict['effect']): Verdict => ({ effect, rule: 'hub#1', policyVersion: 'hub@1' })

async function openGate(effect: Verdict['effect'], outcome: ApprovalOutcome = { status: 'approved', id: 'a1' }) {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-gate-'))
  const retention = { maxAgeMs: 1e9, maxBytes: 1e9 }
  const log = { engine: 'sqlite', path: join(directory, 'events.db') } as const
  const events = await openEventLog(log, { redactor: createRedactor(), retention })
  const gate = createGate({
    events,
    policies: { decide: async () => verdict(effect) },
    approvals: { obtain: async () => outcome },
  })
  return {
    gate,
    recorded: async () => (await events.read({ cursor: 0 })).events.map(({ type, payload }) => ({ type, ...payload })),
    [Symbol.asyncDispose]: () => events[Symbol.asyncDispose](),
  }
}

test('the caller of an allowed command runs it and reports how it ended', async () => {
  await using world = await openGate('ask')
  const authorization = await world.gate.authorize(command)
  expect(await world.recorded()).toMatchObject([
    { type: 'tool-called', tool: 'own_shell', decision: { effect: 'ask' } },
  ])
  if (authorization.status !== 'allowed') throw new Error(`it is ${authorization.status}`)
  authorization.end({ outcome: 'ok', bytes: 3 })
  expect((await world.recorded()).at(-1)).toMatchObject({
    type: 'tool-answered',
    outcome: 'ok',
    bytes: 3,
    approval: 'a1',
  })
})

test.each(['deny', 'abort'] as const)(
  'a command for which the policy says %s is refused and recorded',
  async (effect) => {
    await using world = await openGate(effect)
    const status = effect === 'deny' ? 'denied' : 'aborted'
    const refused = { by: 'policy', status, rule: 'hub#1', policyVersion: 'hub@1' }
    expect(await world.gate.authorize(command)).toEqual(refused)
    expect((await world.recorded()).at(-1)).toMatchObject({ type: 'tool-answered', outcome: status })
  },
)

test('a denial by a person carries the reason', async () => {
  await using world = await openGate('ask', { status: 'denied', id: 'a1', reason: 'not today' })
  expect(await world.gate.authorize(command)).toMatchObject({
    by: 'person',
    status: 'denied',
    reason: 'not today',
    approval: 'a1',
  })
})

test('a command that no person has answered yet is pending', async () => {
  await using world = await openGate('ask', { status: 'pending', id: 'a1', expiresAt: '2026-01-01T01:00:00.000Z' })
  expect(await world.gate.authorize(command)).toEqual({ status: 'pending', approval: 'a1' })
})

test('a command is denied if its caller cannot wait for a person', async () => {
  await using world = await openGate('ask')
  expect(await world.gate.authorize({ ...command, mayAsk: false })).toMatchObject({ by: 'policy', status: 'denied' })
})

test('a command does not run if its caller has left', async () => {
  await using world = await openGate('allow')
  expect(await world.gate.authorize({ ...command, signal: AbortSignal.abort() })).toEqual({ status: 'cancelled' })
  expect((await world.recorded()).at(-1)).toMatchObject({ outcome: 'cancelled' })
})
