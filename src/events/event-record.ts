/** An event in its stored form: redacted, with its payload as JSON. Every stored event passes through this file. */
import { randomUUID } from 'node:crypto'
import type { LoggedEvent, NewEvent } from '../api/event.ts'
import type { Redactor } from '../base/redact.ts'

/** All columns but `seq`, in the order in which they are written and read. */
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
    id: event.id ?? randomUUID(),
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

/** Redaction replaces an unreadable payload with a text. This wraps the text, so that a payload is always an object. */
function payloadOf(redacted: unknown): unknown {
  return typeof redacted === 'object' && redacted !== null ? redacted : { payload: redacted }
}

export function toEvent(seq: number, record: EventRecord): LoggedEvent {
  const { id, type, at, payload } = record
  const event: Record<string, unknown> = { seq, id, type, at }
  for (const field of optionalFields) if (record[field] !== null) event[field] = record[field]
  event['payload'] = JSON.parse(payload)
  return event as unknown as LoggedEvent
}

/** The estimated size of a record on disk, with its row and index entries. */
export function bytesOf(record: EventRecord): number {
  return record.payload.length + 300
}
