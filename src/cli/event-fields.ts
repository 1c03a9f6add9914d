import { isRecord } from '../base/is-record.ts'

/** What an event says, as `name=value`, for a person: without what only programs compare. */
export function eventFields(payload: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(payload).flatMap(([name, value]) => {
    if (hidden.has(name)) return []
    if (name === 'decision' && isRecord(value)) return eventFields(value)
    return [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`]
  })
}

const hidden = new Set(['token_id', 'role', 'digest'])
