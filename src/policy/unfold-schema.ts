/**
 * Replaces the references of a schema by their targets, so that the result is a tree: nothing refers to itself or to the
 * outside, and the time to evaluate it is proportional to its size. Its weight is limited, because compiling or
 * evaluating a schema blocks the hub.
 */
import { isRecord } from '../base/is-record.ts'
import { DocumentFault } from './document-fault.ts'
import type { Path } from './document-fault.ts'

export type Schema = Readonly<Record<string, unknown>>

export interface UnfoldedSchema {
  readonly schema: Schema
  readonly weight: number
  /** Every regular expression in it. */
  readonly patterns: ReadonlySet<string>
}

/** Compiling a part takes up to a millisecond. */
const partWeight = 10
/** Counting the characters of a long text takes milliseconds. */
const lengthWeight = 40
const maxWeight = 2_000
const maxDepth = 100

const refused: Readonly<Record<string, string>> = {
  $id: 'a condition has no address of its own. Leave it out',
  $anchor: 'refer to a part by its place, such as "#/$defs/name"',
  $dynamicAnchor: 'refer to a part by its place, such as "#/$defs/name"',
  $dynamicRef: 'use "$ref" with a place in the same condition, such as "#/$defs/name"',
  $recursiveRef: 'use "$ref" with a place in the same condition, such as "#/$defs/name"',
  $async: 'a condition is decided at once. Leave it out',
  $vocabulary: 'a condition is JSON Schema 2020-12. Leave it out',
}

const oneSchema = new Set([
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
])
const listsOfSchemas = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const mapsOfSchemas = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies'])
const listsOfValues = new Set(['const', 'enum', 'required', 'dependentRequired'])
/** Only read through references. */
const definitions = new Set(['$defs', 'definitions'])

export function unfoldSchema(root: Schema, path: Path): UnfoldedSchema {
  let weight = 0
  const patterns = new Set<string>()

  function weigh(more: number, at: Path): void {
    weight += more
    if (weight <= maxWeight) return
    throw new DocumentFault(
      at,
      `"when" is too large with its references expanded: at most ${maxWeight / partWeight} parts or ${maxWeight} ` +
        'listed values are allowed. Split the rule',
    )
  }

  function unfold(schema: unknown, at: Path, within: readonly string[]): unknown {
    if (!isRecord(schema)) return schema
    weigh(partWeight, at)
    if (at.length - path.length > maxDepth) throw new DocumentFault(path, `"when" is nested deeper than ${maxDepth}`)
    const { $ref: reference, ...rest } = schema
    const unfolded = Object.fromEntries(
      Object.entries(rest)
        .filter(([keyword]) => !definitions.has(keyword))
        .map(([keyword, value]) => [keyword, unfoldKeyword(keyword, value, [...at, keyword], within)]),
    )
    if (reference === undefined) return unfolded
    const referred = follow(reference, [...at, '$ref'], within)
    const beside = Array.isArray(unfolded['allOf']) ? unfolded['allOf'] : []
    return { ...unfolded, allOf: [...beside, referred] }
  }

  function unfoldKeyword(keyword: string, value: unknown, at: Path, within: readonly string[]): unknown {
    const instead = refused[keyword]
    if (instead !== undefined) throw new DocumentFault(at, `"${keyword}" is not allowed in "when": ${instead}`)
    if (keyword === 'uniqueItems' && value === true) {
      throw new DocumentFault(at, '"uniqueItems" is not allowed in "when": a long list would block the hub')
    }
    if (keyword === 'minLength' || keyword === 'maxLength') weigh(lengthWeight, at)
    if (listsOfValues.has(keyword)) weigh(countValues(value), at)
    if (keyword === 'pattern' && typeof value === 'string') patterns.add(value)
    if (keyword === 'patternProperties' && isRecord(value)) for (const name of Object.keys(value)) patterns.add(name)
    if (oneSchema.has(keyword)) return unfold(value, at, within)
    if (listsOfSchemas.has(keyword) && Array.isArray(value)) {
      return value.map((part, index) => unfold(part, [...at, index], within))
    }
    if (mapsOfSchemas.has(keyword) && isRecord(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, unfold(part, [...at, name], within)]),
      )
    }
    return value
  }

  function follow(reference: unknown, at: Path, within: readonly string[]): unknown {
    if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) {
      throw new DocumentFault(at, '"$ref" must be a place in the same condition, such as "#/$defs/name"')
    }
    if (reference === '#' || within.includes(reference)) {
      throw new DocumentFault(at, `"$ref" leads back to itself by ${reference}. Write out as many levels as you need`)
    }
    const target = partAt(root, reference)
    if (target === undefined) throw new DocumentFault(at, `"$ref": there is nothing at ${reference} in this condition`)
    return unfold(target, at, [...within, reference])
  }

  const schema = unfold(root, path, []) as Schema
  return { schema, weight, patterns }
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, part) => sum + countValues(part), 1)
}

/** RFC 6901, in a URI fragment. */
function partAt(root: Schema, reference: string): unknown {
  let part: unknown = root
  for (const step of reference.split('/').slice(1)) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined
    part = part[name as keyof typeof part]
  }
  return part
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
