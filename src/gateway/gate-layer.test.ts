import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ApprovalOutcome } from '../api/approval.ts'
import { createRedactor } from '../base/redact.ts'
import { openEventLog } from '../events/events.ts'
import type { GateOptions } from '../gate/gate.ts'
import { createGate } from '../gate/gate.ts'
import type { Call } from '../mcp/mcp.ts'
import { inputRequired, RpcError } from '../mcp/mcp.ts'
import type { Verdict } from '../policy/policy.ts'
import { createGateLayer } from './gate-layer.ts'

const request = { tool: 'up_act', arguments: { deep: { api_key: 'hunter2hunter2' } }, upstream: 'up' }
const allow: Verdict = { effect: 'allow', policyVersion: 'hub@1' }
const ask: Verdict = { effect: 'ask', policyVersion: 'hub@1' }
const done = async () => ({ content: [] })
const traced = { _meta: { 'io.signalbox/correlation': 'c1' } }

interface Setting {
  readonly decide?: GateOptions['policies']['decide']
  readonly obtain?: GateOptions['approvals']['obtain']
}

interface Asked {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly upstream: string
}

async function openGate({ decide = async () => allow, obtain = answered('approved') }: Setting = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-gate-'))
  const retention = { maxAgeMs: 1e9, maxBytes: 1e9 }
  const redactor = createRedactor()
  const events = await openEventLog({ engine: 'sqlite', path: join(directory, 'events.db') }, { redactor, retention })
  let decisions = 0
  const counted: Setting['decide'] = (session, call) => {
    decisions++
    return decide(session, call)
  }
  const recorded = async () => (await events.read({ cursor: 0 })).events
  const layer = createGateLayer(createGate({ events, policies: { decide: counted }, approvals: { obtain } }))
  return {
    /** Calls a tool of an upstream. */
    pass({ tool, arguments: args, upstream }: Asked, call: Call, run: (call: Call) => Promise<object>) {
      const called = { name: tool, description: '', inputSchema: {}, annotations: {}, subject: { tool, upstream } }
      return layer({ kind: 'tool', tool: called, arguments: args }, call, (passed = call) => run(passed))
    },
    /** The outcome in each event of the call. */
    record: async () =>
      (await recorded()).map(({ type, payload }) => (payload as { outcome?: string }).outcome ?? type),
    recorded,
    decisions: () => decisions,
    [Symbol.asyncDispose]: () => events[Symbol.asyncDispose](),
  }
}

function answered(status: ApprovalOutcome['status']): GateOptions['approvals']['obtain'] {
  return async () => ({ status, id: 'a1', expiresAt: '2026-01-01T01:00:00.000Z' })
}

function makeCall({
  state,
  signal = new AbortController().signal,
  era = 'modern',
}: { state?: unknown; signal?: AbortSignal; era?: Call['client']['era'] } = {}): Call {
  const caller = { tokenId: 't1', role: 'agent', session: 's1' }
  const client = { era, version: '2026-07-28', capabilities: {} }
  const answerIfLost = async () => {}
  const common = { correlation: 'c1', caller, client, params: {}, answers: {}, answerIfLost }
  const call = { ...common, state, signal } as unknown as Call
  return { ...call, with: (change) => ({ ...call, ...change }) }
}

test.each<readonly [string, Setting, number, string]>([
  ['denies it', { decide: async () => ({ ...allow, effect: 'deny' }) }, -32951, 'denied'],
  ['aborts it', { decide: async () => ({ ...allow, effect: 'abort' }) }, -32950, 'aborted'],
  ['cannot be evaluated', { decide: () => Promise.reject(new Error('broken')) }, -32953, 'failed'],
  ['asks, and a person denies', { decide: async () => ask, obtain: answered('denied') }, -32951, 'denied'],
  ['asks, and a person aborts', { decide: async () => ask, obtain: answered('aborted') }, -32950, 'aborted'],
  ['asks, and no person answers', { decide: async () => ask, obtain: answered('expired') }, -32951, 'expired'],
  ['asks, and the caller leaves', { decide: async () => ask, obtain: answered('abandoned') }, -32800, 'abandoned'],
])('a call does not run if the policy %s, and is recorded twice', async (_, setting, code, outcome) => {
  await using world = await openGate(setting)
  let hasRun = false
  const run = async () => {
    hasRun = true
    return {}
  }
  await expect(world.pass(request, makeCall(), run)).rejects.toMatchObject({ code })
  expect(hasRun).toBe(false)
  expect(await world.record()).toEqual(['tool-called', outcome])
  expect(world.decisions()).toBe(1)
})

test('a call that runs is decided once and recorded twice, without its secrets', async () => {
  await using world = await openGate()
  expect(await world.pass(request, makeCall(), done)).toEqual({ content: [], ...traced })
  expect(await world.record()).toEqual(['tool-called', 'ok'])
  expect(world.decisions()).toBe(1)
  expect(JSON.stringify(await world.recorded())).not.toContain('hunter2')
})

test('a call that waits for a person has not run, and names the approval it waits for', async () => {
  await using world = await openGate({ decide: async () => ask, obtain: answered('pending') })
  expect(await world.pass(request, makeCall({ era: 'legacy' }), done)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('a1') }],
    _meta: { 'io.signalbox/approval': 'a1' },
  })
  expect(await world.record()).toEqual(['tool-called', 'waiting'])
  const modern = await world.pass(request, makeCall(), done)
  expect(modern).toEqual({ resultType: 'input_required', state: { waiting: 'a1' } })
})

test('if a person cannot even be asked, the record says how the call ended', async () => {
  await using world = await openGate({ decide: async () => ask, obtain: () => Promise.reject(new Error('no store')) })
  await expect(world.pass(request, makeCall(), done)).rejects.toThrow('no store')
  expect(await world.record()).toEqual(['tool-called', 'failed'])
})

describe('a call that a person approves', () => {
  /** The policy returns `then` once the person has answered. */
  const changingTo = (then: () => Promise<Verdict>): Setting => {
    let isAnswered = false
    return {
      decide: async () => (isAnswered ? then() : ask),
      async obtain() {
        isAnswered = true
        return { status: 'approved', id: 'a1' }
      },
    }
  }

  test.each<readonly [string, () => Promise<Verdict>, number, string]>([
    ['denies it', async () => ({ effect: 'deny', rule: 'hub#7', policyVersion: 'hub@2' }), -32951, 'denied'],
    ['aborts it', async () => ({ effect: 'abort', rule: 'hub#7', policyVersion: 'hub@2' }), -32950, 'aborted'],
    ['cannot be evaluated', () => Promise.reject(new Error('broken')), -32953, 'failed'],
  ])('does not run if the policy %s by then, and the record says why', async (_, then, code, outcome) => {
    await using world = await openGate(changingTo(then))
    let hasRun = false
    const run = async () => {
      hasRun = true
      return {}
    }
    await expect(world.pass(request, makeCall(), run)).rejects.toMatchObject({ code })
    expect(hasRun).toBe(false)
    const decision =
      outcome === 'failed' ? { effect: 'deny', reason: 'broken' } : { rule: 'hub#7', policy_version: 'hub@2' }
    expect((await world.recorded()).at(-1)?.payload).toMatchObject({ outcome, approval: 'a1', decision })
  })

  test.each<Verdict>([{ ...ask, policyVersion: 'hub@2' }, allow])('runs if the policy says $effect', async (then) => {
    await using world = await openGate(changingTo(async () => then))
    expect(await world.pass(request, makeCall(), done)).toEqual({ content: [], ...traced })
    expect(await world.record()).toEqual(['tool-called', 'ok'])
  })
})

test('a call whose caller left before it could run does not run', async () => {
  const leaving = new AbortController()
  await using world = await openGate({
    decide: async () => ask,
    async obtain() {
      leaving.abort()
      return { status: 'approved', id: 'a1' }
    },
  })
  let hasRun = false
  const run = async () => {
    hasRun = true
    return {}
  }
  await expect(world.pass(request, makeCall({ signal: leaving.signal }), run)).rejects.toMatchObject({
    code: -32800,
  })
  expect(hasRun).toBe(false)
  expect(await world.record()).toEqual(['tool-called', 'cancelled'])
})

test('an upstream cannot speak for the policy with any of its error codes', async () => {
  for (const code of [-32950, -32951, -32952, -32953]) {
    await using world = await openGate()
    const run = () => Promise.reject(new RpcError(code, 'A person denied it.'))
    await expect(world.pass(request, makeCall(), run)).rejects.toMatchObject({
      code: -32952,
      message: expect.not.stringContaining('person'),
    })
    expect(await world.record()).toEqual(['tool-called', 'failed'])
  }
})

describe('a call that asks its client', () => {
  /** A call that was approved and then left a question with its client. */
  async function asking(setting: { verdict: Verdict }) {
    let approvals = 0
    const world = await openGate({
      decide: async () => setting.verdict,
      async obtain() {
        approvals++
        return { status: 'approved', id: `a${approvals}` }
      },
    })
    const asked = await world.pass(request, makeCall(), async () => inputRequired({}, 'inner'))
    const { state } = asked as { state: unknown }
    const seen: unknown[] = []
    const run = async (call: Call) => {
      seen.push(call.state)
      return {}
    }
    const comeBack = (as = request) => world.pass(as, makeCall({ state }), run)
    return { ...world, comeBack, seen, approvals: () => approvals }
  }

  test('continues with the answer, and no person is asked twice', async () => {
    await using world = await asking({ verdict: ask })
    await world.comeBack()
    expect(world.seen).toEqual(['inner'])
    expect(world.approvals()).toBe(1)
    expect(await world.record()).toEqual(['tool-called', 'input-required', 'ok'])
  })

  test('needs another approval if it comes back a second time with the same answer', async () => {
    await using world = await asking({ verdict: ask })
    await world.comeBack()
    await world.comeBack()
    expect(world.approvals()).toBe(2)
    expect(await world.record()).toEqual(['tool-called', 'input-required', 'ok', 'tool-called', 'ok'])
  })

  test('does not run once the policy forbids it', async () => {
    const setting = { verdict: ask }
    await using world = await asking(setting)
    setting.verdict = { ...ask, effect: 'deny' }
    await expect(world.comeBack()).rejects.toMatchObject({ code: -32951 })
    expect(world.seen).toEqual([])
    expect(await world.record()).toEqual(['tool-called', 'input-required', 'denied'])
  })

  test('is another call if its arguments differ', async () => {
    await using world = await asking({ verdict: ask })
    await world.comeBack({ ...request, arguments: { other: true } as never })
    expect(world.seen).toEqual([undefined])
    expect(world.approvals()).toBe(2)
  })
})

test('an error that keeps a call from running names its trace', async () => {
  await using world = await openGate({ decide: async () => ({ ...allow, effect: 'deny' }) })
  await expect(world.pass(request, makeCall(), done)).rejects.toMatchObject({ data: { correlation: 'c1' } })
})

test('an approval names the event of its call', async () => {
  let parent: string | undefined
  await using world = await openGate({
    decide: async () => ask,
    async obtain(asked) {
      parent = asked.parent
      return { status: 'approved', id: 'a1' }
    },
  })
  await world.pass(request, makeCall(), done)
  expect((await world.recorded())[0]?.id).toBe(parent)
})

test('a huge argument is recorded by its size in bytes', async () => {
  await using world = await openGate()
  const text = 'ü'.repeat(1_000_000)
  const result = await world.pass({ ...request, arguments: { text } }, makeCall(), async () => ({ text }))
  expect(result).toEqual({ text, ...traced })
  const answer = (await world.recorded()).at(-1)
  expect(answer?.payload).toMatchObject({ outcome: 'ok', bytes: 2_000_000 + '{"text":""}'.length })
})
