/** An event as it is stored: redacted, its payload as JSON. Nothing is kept that did not pass here. */
import { randomUUID } from 'node:crypto'
import type { Event, NewEvent } from '../api/event.ts'
import type { Redactor } from '../base/redact.ts'

/** The columns besides `seq`, in the order they are written and read. */
export const recordColumns = [
  'id',
  'type',
  'at',
  'session',
  'thread',
  'correlation',
  'parent',
  'route',
  'provider',
  'payload',
] as const

export type EventRecord = Readonly<Record<'id' | 'type' | 'at' | 'payload', string>> &
  Readonly<Record<OptionalField, string | null>>

type OptionalField = (typeof optionalFields)[number]

const optionalFields = ['session', 'thread', 'correlation', 'parent', 'route', 'provider'] as const

export function createRecord(event: NewEvent, { redactor, now }: { redactor: Redactor; now: () => Date }): EventRecord {
  const text = (value: string | undefined): string | null => (value === undefined ? null : redactor.text(value))
  return {
    id: randomUUID(),
    type: redactor.text(event.type),
    at: now().toISOString(),
    session: text(event.session),
    thread: text(event.thread),
    correlation: text(event.correlation),
    parent: text(event.parent),
    route: text(event.route),
    provider: text(event.provider),
    payload: JSON.stringify(payloadOf(redactor.value(event.payload))),
  }
}

/** A payload that could not even be read is told as such; it stays an object all the same. */
function payloadOf(redacted: unknown): unknown {
  return typeof redacted === 'object' && redacted !== null ? redacted : { payload: redacted }
}

export function toEvent(seq: number, record: EventRecord): Event {
  const { id, type, at, payload } = record
  const event: Record<string, unknown> = { seq, id, type, at }
  for (const field of optionalFields) if (record[field] !== null) event[field] = record[field]
  event['payload'] = JSON.parse(payload)
  return event as unknown as Event
}

/** About what a record takes on disk, with its row and index entries. */
export function bytesOf(record: EventRecord): number {
  return record.payload.length + 300
}
