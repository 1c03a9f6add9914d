/** Which arguments a condition depends on, by what stands under their names; that they are there at all is always known. */
import { isRecord } from '../base/is-record.ts'
import type { Schema } from './unfold-schema.ts'

/** These judge every argument, or all of them at once. */
const judgingAll = ['const', 'enum', 'patternProperties', 'additionalProperties', 'unevaluatedProperties']
const lone = ['not', 'if', 'then', 'else']
const listed = ['allOf', 'anyOf', 'oneOf']
const mapped = ['dependentSchemas', 'dependencies']

export function namesLookedAt(schema: Schema): ReadonlySet<string> | 'all' {
  const names = new Set<string>()
  return collect(schema, names) ? 'all' : names
}

/** True where all names count. */
function collect(schema: unknown, names: Set<string>): boolean {
  if (!isRecord(schema)) return false
  // `additionalProperties: false` and the like judge names, not what they stand for.
  if (judgingAll.some((keyword) => schema[keyword] !== undefined && typeof schema[keyword] !== 'boolean')) return true
  for (const name of Object.keys(schema['properties'] ?? {})) names.add(name)
  return partsInPlace(schema).some((part) => collect(part, names))
}

/** What judges the same arguments once more. */
function partsInPlace(schema: Schema): readonly unknown[] {
  return [
    ...lone.map((keyword) => schema[keyword]),
    ...listed.flatMap((keyword) => schema[keyword] ?? []),
    ...mapped.flatMap((keyword) => Object.values(schema[keyword] ?? {})),
  ]
}
