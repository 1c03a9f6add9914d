import { isRecord } from '../../base/is-record.ts'

/** The payload of an event as `name=value` for a person, without the fields that only programs need. */
export function eventFields(payload: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(payload).flatMap(([name, value]) => {
    if (hidden.has(name)) return []
    if (name === 'decision' && isRecord(value)) return eventFields(value)
    return [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`]
  })
}

const hidden = new Set(['token_id', 'role', 'digest'])
