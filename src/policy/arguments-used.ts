/** The names of the arguments whose values a condition depends on. Whether an argument is present is always known. */
import { isRecord } from '../base/is-record.ts'
import type { Schema } from './unfold-schema.ts'

/** Keywords that check every argument, or all of them together. */
const checkingAll = ['const', 'enum', 'patternProperties', 'additionalProperties', 'unevaluatedProperties']
const lone = ['not', 'if', 'then', 'else']
const listed = ['allOf', 'anyOf', 'oneOf']
const mapped = ['dependentSchemas', 'dependencies']

export function argumentsUsed(schema: Schema): ReadonlySet<string> | 'all' {
  const names = new Set<string>()
  return collect(schema, names) ? 'all' : names
}

/** True if the condition depends on all arguments. */
function collect(schema: unknown, names: Set<string>): boolean {
  if (!isRecord(schema)) return false
  // A boolean, as in `additionalProperties: false`, checks names and not values.
  if (checkingAll.some((keyword) => schema[keyword] !== undefined && typeof schema[keyword] !== 'boolean')) return true
  for (const name of Object.keys(schema['properties'] ?? {})) names.add(name)
  return partsInPlace(schema).some((part) => collect(part, names))
}

/** The subschemas that apply to the same arguments. */
function partsInPlace(schema: Schema): readonly unknown[] {
  return [
    ...lone.map((keyword) => schema[keyword]),
    ...listed.flatMap((keyword) => schema[keyword] ?? []),
    ...mapped.flatMap((keyword) => Object.values(schema[keyword] ?? {})),
  ]
}
