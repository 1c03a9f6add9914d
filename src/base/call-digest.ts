/** Tells one call from another: an approval is for these arguments and no others. */
import { hash } from 'node:crypto'

export function digestOf(call: {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}): string {
  return hash('sha256', canonicalJson({ tool: call.tool, arguments: call.arguments }), 'hex')
}

/** As RFC 8785 writes it: the order in which a client happens to send names does not matter. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  // By UTF-16 code units, as the RFC wants it: what sort does unless told otherwise.
  const sorted = fields.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${sorted.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`
}
