import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { follow } from '../../test/fixtures/follow.ts'
import { HubError } from '../base/hub-error.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import type { Face } from '../endpoint/endpoint.ts'
import { createFace } from '../endpoint/endpoint.ts'
import { openEventLog } from '../events/events.ts'
import type { Call, Tool } from '../mcp/mcp.ts'
import { createNotices, defineTool } from '../mcp/mcp.ts'
import { createAuditProvider, createRecordLayer } from './audit.ts'

const anything = z.looseObject({})
const made = { correlation: 'c1', caller: { tokenId: 't1', role: 'agent', session: 's1' } }
const call = { ...made, with: (change: object) => ({ ...made, ...change }) } as unknown as Call

async function openAudit() {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-audit-'))
  const retention = { maxAgeMs: 1e9, maxBytes: 1e9 }
  const redactor = createRedactor()
  const events = await openEventLog({ engine: 'sqlite', path: join(directory, 'events.db') }, { redactor, retention })
  const notices = createNotices()
  const tools = [
    tool('write_it', false, async () => ({ done: true })),
    { ...tool('type_it', false, async () => ({ done: true })), unrecorded: ['text'] },
    tool('read_it', true, async () => ({ seen: true })),
    tool('break_it', false, async () => {
      throw new Error('broken in the middle')
    }),
  ]
  const face = createFace({
    id: 'management',
    info: { name: 'test', version: '0' },
    instructions: '',
    providers: [
      { toolset: 'admin', tools: () => tools },
      createAuditProvider({ events, notices, findSession, threads }),
    ],
    layers: [createRecordLayer({ events, log: createLog({ level: 'error', redactor }) })],
  })
  return { events, notices, face, [Symbol.asyncDispose]: () => events[Symbol.asyncDispose]() }
}

const threads = { currentOf: () => undefined, promptAfter: async () => undefined }

/** The only session is "work". */
async function findSession(nameOrId: string) {
  if (['work', 's1'].includes(nameOrId)) return { id: 's1' }
  throw new HubError('not-found', `No session named "${nameOrId}". Call list_sessions for the names.`)
}

function tool(name: string, readOnlyHint: boolean, run: () => Promise<Record<string, unknown>>): Tool {
  return defineTool({ name, description: name, input: anything, output: anything, annotations: { readOnlyHint }, run })
}

async function run(face: Face, name: string, args: Record<string, unknown> = {}) {
  return face.callTool(face.findTool(name)!, args, call)
}

async function query(face: Face, args: Record<string, unknown>) {
  const result = await run(face, 'query_events', args)
  return result as {
    isError?: boolean
    content: { text: string }[]
    structuredContent: {
      events: { type: string; payload: { arguments?: Record<string, unknown> } }[]
      next_cursor: string
    }
  }
}

test('an event records that text was typed, and not the text', async () => {
  await using audit = await openAudit()
  await run(audit.face, 'type_it', { session: 'a', text: 'hunter2' })
  const { events } = await audit.events.read({ type: 'tool-called' })
  expect(events.at(-1)?.payload).toMatchObject({ arguments: { session: 'a', text: '[not recorded]' } })
})

test('a writing call has one event before it runs and one after, linked and without secrets', async () => {
  await using audit = await openAudit()
  await run(audit.face, 'write_it', { name: 'x', api_key: 'hunter2hunter2' })
  const { events } = await audit.events.read({})
  expect(events).toMatchObject([
    {
      type: 'tool-called',
      session: 's1',
      correlation: 'c1',
      payload: { tool: 'write_it', arguments: { name: 'x' }, token_id: 't1' },
    },
    {
      type: 'tool-answered',
      session: 's1',
      correlation: 'c1',
      parent: events[0]?.id,
      payload: { tool: 'write_it', outcome: 'ok' },
    },
  ])
  expect(JSON.stringify(events)).not.toContain('hunter2')
})

test('events of a session are found by its name or id, and those of a removed session by its id', async () => {
  await using audit = await openAudit()
  for (const session of ['s1', 'removed']) {
    await audit.events.append({ type: 'session-ended', session, payload: { status: 'completed' } })
  }
  for (const [session, id] of [
    ['work', 's1'],
    ['s1', 's1'],
    ['removed', 'removed'],
  ]) {
    expect((await query(audit.face, { session })).structuredContent.events).toMatchObject([{ session: id }])
  }
  const { isError, content } = await query(audit.face, { session: 'wrok' })
  expect({ isError, text: content[0]?.text }).toEqual({
    isError: true,
    text: '"session": No session named "wrok". Call list_sessions for the names.',
  })
})

test('a reading call is not recorded', async () => {
  await using audit = await openAudit()
  await run(audit.face, 'read_it')
  expect(audit.events.lastSeq).toBe(0)
})

test('a call that breaks is recorded as failed, and only the log has the reason', async () => {
  await using audit = await openAudit()
  await expect(run(audit.face, 'break_it')).rejects.toThrow('broken in the middle')
  const { events } = await audit.events.read({ type: 'tool-answered' })
  expect(events).toMatchObject([{ payload: { tool: 'break_it', outcome: 'failed' } }])
  expect(events[0]?.payload['error']).toEqual({
    name: 'Error',
    message: 'The hub failed. Its log says more under c1.',
  })
  expect(JSON.stringify(events)).not.toContain('broken in the middle')
})

test('query_events continues from a cursor', async () => {
  await using audit = await openAudit()
  for (let count = 0; count < 3; count++) await run(audit.face, 'write_it')
  const first = await query(audit.face, { limit: 2 })
  expect(first.structuredContent.events).toHaveLength(2)
  const rest = await query(audit.face, { cursor: first.structuredContent.next_cursor })
  expect(rest.structuredContent.events).toHaveLength(4)
  const filtered = await query(audit.face, { type: 'tool-called', session: 's1', since: '2020-01-01T00:00:00+02:00' })
  expect(filtered.structuredContent.events.map(({ type }) => type)).toEqual([
    'tool-called',
    'tool-called',
    'tool-called',
  ])
})

test('query_events can list the newest first and continue to the oldest', async () => {
  await using audit = await openAudit()
  for (const name of ['one', 'two', 'three']) await run(audit.face, 'write_it', { name })
  const newest = { order: 'newest', type: 'tool-called', limit: 2 }
  const names = ({ structuredContent }: Awaited<ReturnType<typeof query>>) =>
    structuredContent.events.map(({ payload }) => payload.arguments?.['name'])
  const first = await query(audit.face, newest)
  expect(names(first)).toEqual(['three', 'two'])
  const rest = await query(audit.face, { ...newest, cursor: first.structuredContent.next_cursor })
  expect(names(rest)).toEqual(['one'])
  expect(names(await query(audit.face, { ...newest, cursor: rest.structuredContent.next_cursor }))).toEqual([])
})

test.each([[{ limit: 0 }], [{ cursor: 'x' }], [{ order: 'odd' }], [{ since: 'yesterday' }], [{ nonsense: 1 }]])(
  'query_events refuses %j and names the wrong argument',
  async (args) => {
    await using audit = await openAudit()
    const { isError, content } = await query(audit.face, args)
    expect(isError).toBe(true)
    expect(content[0]?.text).toContain(`"${Object.keys(args)[0]}"`)
  },
)

test('the events after a cursor are a resource, and subscribers get a notice when there are more', async () => {
  await using audit = await openAudit()
  const notices = follow(audit.notices, 'resource://events/0')
  await run(audit.face, 'write_it')
  await turn()
  await turn()
  expect(new Set(notices)).toEqual(new Set(['resource://events/0']))
  const read = await audit.face.readResource('resource://events/0', call)
  expect(JSON.stringify(read)).toContain('write_it')
  expect(await audit.face.readResource('resource://events/nonsense', call)).toBeUndefined()
})
