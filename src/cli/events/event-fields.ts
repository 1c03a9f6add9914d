import { isRecord } from '../../base/is-record.ts'

/** The payload of an event as `name=value` for a person, without the fields that only programs need. */
export function eventFields(payload: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(payload).flatMap(([name, value]) => {
    if (hidden.has(name)) return []
    if (name === 'decision' && isRecord(value)) return eventFields(value)
    if (name === 'usage' && isRecord(value)) return usageFields(value)
    if (name === 'chain' && Array.isArray(value)) return [`chain=${value.map(String).join(' → ')}`]
    return [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`]
  })
}

function usageFields({ input_tokens, output_tokens, cost_usd }: Readonly<Record<string, unknown>>): readonly string[] {
  const tokens = `tokens=${String(input_tokens)} in, ${String(output_tokens)} out`
  return typeof cost_usd === 'number' ? [tokens, `cost=$${cost_usd}`] : [tokens]
}

const hidden = new Set(['token_id', 'role', 'digest', 'caller_span'])
