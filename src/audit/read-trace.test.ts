import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventPayload, EventType, NewEvent } from '../api/event.ts'
import { createRedactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import { openEventLog } from '../events/events.ts'
import { readTrace } from './read-trace.ts'

async function openLog() {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-trace-'))
  const path = join(directory, 'events.db')
  const retention = { maxAgeMs: 1e9, maxBytes: 1e9 }
  return openEventLog({ engine: 'sqlite', path }, { redactor: createRedactor(), retention })
}

/** Appends an event of session s1. */
function add<Type extends EventType>(
  events: EventLog,
  correlation: string,
  type: Type,
  payload: Partial<EventPayload<Type>>,
  parent?: string,
) {
  return events.append({ session: 's1', correlation, type, payload, parent } as unknown as NewEvent)
}

/** The first call waits, a person answers later, and the second call gets the answer. */
async function addAnsweredLater(events: EventLog, outcome: string) {
  await add(events, 'c1', 'tool-called', {})
  await add(events, 'c1', 'approval-requested', { approval: 'a1' })
  await add(events, 'c1', 'tool-answered', { outcome: 'waiting', approval: 'a1' })
  await add(events, 'c1', 'approval-decided', { approval: 'a1' })
  await add(events, 'c2', 'tool-called', {})
  await add(events, 'c2', 'tool-answered', { outcome, approval: 'a1' })
}

test.each(['ok', 'denied'])(
  'the approval and either call lead to the whole story of a call that was answered after its hold: %s',
  async (outcome) => {
    await using events = await openLog()
    await add(events, 'c0', 'tool-called', {})
    await addAnsweredLater(events, outcome)
    await add(events, 'c3', 'approval-requested', { approval: 'a3' })
    for (const id of ['a1', 'c1', 'c2']) {
      const found = await readTrace(events, id)
      expect(found.map(({ correlation, type }) => `${correlation} ${type}`)).toEqual([
        'c1 tool-called',
        'c1 approval-requested',
        'c1 tool-answered',
        'c1 approval-decided',
        'c2 tool-called',
        'c2 tool-answered',
      ])
      expect(found.at(-1)?.payload).toMatchObject({ outcome })
    }
  },
)

test('a grant joins the call that waited and the same call made again, and no later call', async () => {
  await using events = await openLog()
  const decision = { effect: 'allow', grant: 'g1' } as const
  const first = await add(events, 'c1', 'tool-called', { tool: 'push', arguments: { to: 'main' } })
  await add(events, 'c1', 'approval-requested', { approval: 'a1' }, first.id)
  await add(events, 'c1', 'tool-answered', { outcome: 'waiting', approval: 'a1' })
  await add(events, 'c1', 'grant-made', { approval: 'a1', grant: 'g1' })
  await add(events, 'other', 'tool-called', { tool: 'push', arguments: { to: 'next' }, decision })
  await add(events, 'again', 'tool-called', { tool: 'push', arguments: { to: 'main' }, decision })
  await add(events, 'again', 'tool-answered', { outcome: 'ok' })
  await add(events, 'later', 'tool-called', { tool: 'push', arguments: { to: 'main' }, decision })
  const correlationsIn = async (id: string) =>
    new Set((await readTrace(events, id)).map(({ correlation }) => correlation))
  for (const id of ['a1', 'c1', 'again']) expect(await correlationsIn(id)).toEqual(new Set(['c1', 'again']))
  for (const id of ['other', 'later']) expect(await correlationsIn(id)).toEqual(new Set([id]))
})

test('the revocation of a grant is not part of the call whose approval made the grant', async () => {
  await using events = await openLog()
  await addAnsweredLater(events, 'ok')
  await add(events, 'c9', 'grant-revoked', { approval: 'a1' })
  expect((await readTrace(events, 'c9')).map(({ type }) => type)).toEqual(['grant-revoked'])
})

test('an unknown id has no events', async () => {
  await using events = await openLog()
  await addAnsweredLater(events, 'ok')
  expect(await readTrace(events, 'a2')).toEqual([])
})
