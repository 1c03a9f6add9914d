import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { until } from '../../test/fixtures/until.ts'
import type { ApprovalOutcome } from '../api/approval.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import type { OwnToolCall } from '../drivers/drivers.ts'
import { openEventLog } from '../events/events.ts'
import type { Verdict } from '../policy/policy.ts'
import { createGate, createOwnToolGates } from './gate.ts'

const signal = new AbortController().signal

function shell(command: string, agentAsks = false): OwnToolCall {
  return { tool: 'own_shell', arguments: { command, agent_tool: 'Bash' }, agentAsks, signal }
}

/** `decide` answers the policy, and `answer` the person. */
async function open(decide: () => Verdict, answer: ApprovalOutcome = { status: 'approved', id: 'a1' }) {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-own-'))
  const redactor = createRedactor()
  const events = await openEventLog(
    { engine: 'sqlite', path: join(directory, 'events.db') },
    { redactor, retention: { maxAgeMs: 1e9, maxBytes: 1e9 } },
  )
  const policies = { decide: async () => decide() }
  const answered: string[] = []
  const approvals = {
    async obtain(_: unknown, held: { onHeld?: ((id: string) => Promise<void>) | undefined }) {
      await held.onHeld?.(answer.id)
      return answer
    },
    decide: async (id: string, { decision }: { decision: string }, { label }: { label?: string }) =>
      answered.push(`${id} ${decision} by ${label}`),
  }
  const gate = createGate({ events, policies, approvals })
  const log = createLog({ level: 'error', redactor, destination: { write() {} } })
  const offered = { namesOf: async (session: string) => [`hub_of_${session}`] }
  return {
    own: createOwnToolGates({ gate, policies, approvals, offered, log }).of('s1'),
    answered,
    recorded: async () => (await events.read({ cursor: 0 })).events.map(({ type, payload }) => ({ type, ...payload })),
    [Symbol.asyncDispose]: () => events[Symbol.asyncDispose](),
  }
}

test('a call that no rule matches is left to the agent, and is recorded', async () => {
  await using world = await open(() => ({ effect: 'allow', policyVersion: 'hub@1' }))
  expect(await world.own.check(shell('ls'))).toMatchObject({ is: 'allowed', isRuled: false })
  expect(await world.recorded()).toMatchObject([{ type: 'tool-called', tool: 'own_shell' }])
})

test('the end of a call that still runs does not keep its arguments in memory', async () => {
  await using world = await open(() => ({ effect: 'allow', policyVersion: 'hub@1' }))
  const begin = async () => {
    const call = shell('git push')
    const { signal: own } = new AbortController()
    return { given: new WeakRef(call.arguments), answer: await world.own.authorize({ ...call, signal: own }) }
  }
  const { answer, given } = await begin()
  if (answer.is !== 'allowed') throw new Error(`it is ${answer.is}`)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await until(() => {
    collect()
    return given.deref() === undefined
  })
  answer.end('ok')
})

test('a rule that asks lets the agent show its own question first, and only the answered call is recorded', async () => {
  await using world = await open(() => ({ effect: 'ask', rule: 'hub#1', reason: 'careful', policyVersion: 'hub@1' }))
  expect(await world.own.check(shell('git push'))).toEqual({ is: 'ask', reason: 'careful' })
  expect(await world.recorded()).toEqual([])
  const held: string[] = []
  const answer = await world.own.authorize({ ...shell('git push', true), onHeld: (id) => void held.push(id) })
  expect(answer).toMatchObject({ is: 'allowed', isRuled: true, approval: 'a1' })
  expect(held).toEqual(['a1'])
  expect(await world.recorded()).toMatchObject([{ decision: { effect: 'ask' }, agent_asks: true }])
})

test('a call that the policy or a person refuses does not run, and an abort ends the turn', async () => {
  await using denying = await open(() => ({
    effect: 'deny',
    rule: 'hub#1',
    reason: 'not here',
    policyVersion: 'hub@1',
  }))
  expect(await denying.own.check(shell('rm x'))).toEqual({
    is: 'refused',
    reason: 'The policy denies own_shell: not here. Go on without it.',
    endsTurn: false,
  })
  await using asking = await open(() => ({ effect: 'ask', policyVersion: 'hub@1' }), { status: 'aborted', id: 'a1' })
  expect(await asking.own.authorize(shell('rm x', true))).toMatchObject({ is: 'refused', endsTurn: true })
})

test('a policy that cannot be evaluated refuses the call', async () => {
  await using world = await open(() => {
    throw new Error('the file is gone')
  })
  expect(await world.own.check(shell('ls'))).toMatchObject({ is: 'refused', reason: /the file is gone/ })
})

test('an answer in the terminal counts as the answer of the person there', async () => {
  await using world = await open(() => ({ effect: 'ask', policyVersion: 'hub@1' }))
  await world.own.answeredInTerminal('a1', 'approve')
  expect(world.answered).toEqual(['a1 approve by the person at the terminal'])
})
