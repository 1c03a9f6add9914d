/** list_turns over the real event log. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { AnyEvent, AnyEventLog } from '../../test/harness/any-event-log.ts'
import { openAnyEventLog } from '../../test/harness/any-event-log.ts'
import type { TurnSummary } from '../api/turn.ts'
import { createRedactor } from '../base/redact.ts'
import { createFace } from '../endpoint/endpoint.ts'
import type { Call } from '../mcp/mcp.ts'
import { createListTurnsTool } from './list-turns.ts'

const retention = { maxAgeMs: 1e10, maxBytes: 1e10 }

async function openTurns() {
  const path = join(temporaryDirectory(), 'events.db')
  const events = await openAnyEventLog({ engine: 'sqlite', path }, { redactor: createRedactor(), retention })
  const threads = {
    currentOf: () => 'ta',
    promptAfter: async (thread: string) => (thread === 'ta' ? { text: 'mend the test', turn: 7 } : undefined),
  }
  const tool = createListTurnsTool({ events, threads, idOf: async (name) => name })
  const face = createFace({
    id: 'management',
    info: { name: 'test', version: '0' },
    instructions: '',
    providers: [{ toolset: 'events', tools: () => [tool] }],
    layers: [],
  })
  const call = { correlation: 'reader', caller: { tokenId: 't', role: 'human' } } as unknown as Call
  return {
    events,
    async list(args: Record<string, unknown> = {}) {
      const result = await face.callTool(face.findTool('list_turns')!, args, call)
      return (result as unknown as { structuredContent: { turns: TurnSummary[]; next_cursor?: string } })
        .structuredContent
    },
    [Symbol.asyncDispose]: () => events[Symbol.asyncDispose](),
  }
}

async function add(events: AnyEventLog, type: string, more: Partial<AnyEvent> = {}): Promise<string> {
  return (await events.append({ correlation: 'c', type, payload: {}, ...more })).id
}

test('a turn is listed with its prompt, sessions, spans, denied calls and usage, and whether it waits', async () => {
  await using world = await openTurns()
  const { events, list } = world
  const [a, b] = [{ session: 'a' }, { session: 'b', thread: 'tb' }]
  const approval = { approval: 'p1', tool: 'own_shell', digest: 'd', policy_version: '1', status: 'pending' }
  const turnA = await add(events, 'turn-started', { ...a, payload: { chain: ['alpha'] } })
  const ask = await add(events, 'tool-called', { ...a, parent: turnA, route: 'session:beta' })
  const turnB = await add(events, 'turn-started', { ...b, parent: ask, payload: { chain: ['alpha', 'beta'] } })
  const denied = await add(events, 'tool-called', { ...b, parent: turnB })
  await add(events, 'tool-answered', { ...b, parent: denied, payload: { outcome: 'denied' } })
  const usage = { input_tokens: 5, output_tokens: 2, cost_usd: 0.5 }
  await add(events, 'turn-ended', { ...b, parent: turnB, payload: { status: 'completed', ms: 20, usage } })
  const held = await add(events, 'tool-called', { ...a, parent: turnA })
  await add(events, 'approval-requested', { ...a, parent: held, payload: approval })
  const [turn] = (await list()).turns
  expect(turn).toMatchObject({
    correlation: 'c',
    session: 'alpha',
    number: 7,
    prompt: 'mend the test',
    status: 'running',
    spans: 5,
    sessions: 2,
    denied: 1,
    held_since: expect.any(String),
    routes: ['session:beta'],
    usage,
  })
  expect((await list({ session: 'b' })).turns).toMatchObject([{ session: 'beta', asked_by: 'alpha', ms: 20 }])

  await add(events, 'approval-decided', { ...a, payload: { ...approval, status: 'approved' } })
  const end = { status: 'completed', ms: 100, usage: { input_tokens: 10, output_tokens: 1 } }
  await add(events, 'turn-ended', { ...a, parent: turnA, payload: end })
  const [ended] = (await list()).turns
  expect(ended).toMatchObject({ status: 'completed', ms: 100, usage: { input_tokens: 15, cost_usd: 0.5 } })
  expect(ended).not.toHaveProperty('held_since')
})

test('turns are listed newest first, in pages', async () => {
  await using world = await openTurns()
  const { events, list } = world
  for (const correlation of ['c1', 'c2', 'c3']) {
    await add(events, 'turn-started', { correlation, session: 'a', payload: { chain: ['alpha'] } })
  }
  const first = await list({ limit: 2 })
  expect(first.turns.map(({ correlation }) => correlation)).toEqual(['c3', 'c2'])
  const second = await list({ limit: 2, cursor: first.next_cursor })
  expect(second.turns.map(({ correlation }) => correlation)).toEqual(['c1'])
  expect(second.next_cursor).toBeUndefined()
})
