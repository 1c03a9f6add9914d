/** Identifies a call by its tool and arguments. An approval holds for exactly these arguments. */
import { hash } from 'node:crypto'

export function digestOf(call: {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}): string {
  return hash('sha256', canonicalJson({ tool: call.tool, arguments: call.arguments }), 'hex')
}

/** Canonical JSON (RFC 8785): the order in which a client sends the fields does not matter. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  // The RFC sorts by UTF-16 code units, as `<` does.
  const sorted = fields.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${sorted.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`
}
