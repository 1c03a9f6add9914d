/**
 * Writes the references of a schema out in place, so that what is left is a tree: nothing refers to itself or to the
 * outside, and evaluating it takes no longer than it is large.
 */
import { isRecord } from '../base/is-record.ts'
import { DocumentFault } from './document.ts'
import type { Path } from './document.ts'

export type Schema = Readonly<Record<string, unknown>>

const maxParts = 5_000
const maxDepth = 100

const refused: Readonly<Record<string, string>> = {
  $id: 'a condition has no address of its own: leave it out',
  $anchor: 'refer to a part by its place, such as "#/$defs/name"',
  $dynamicAnchor: 'refer to a part by its place, such as "#/$defs/name"',
  $dynamicRef: 'use "$ref" with a place in the same condition, such as "#/$defs/name"',
  $recursiveRef: 'use "$ref" with a place in the same condition, such as "#/$defs/name"',
  $async: 'a condition is decided at once: leave it out',
  $vocabulary: 'a condition is JSON Schema 2020-12: leave it out',
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
/** Read where they are referred to, and nowhere else. */
const definitions = new Set(['$defs', 'definitions'])

export function unfoldSchema(root: Schema, path: Path): Schema {
  let parts = 0

  function unfold(schema: unknown, at: Path, within: readonly string[]): unknown {
    if (!isRecord(schema)) return schema
    if (++parts > maxParts) throw new DocumentFault(at, `"when" has more than ${maxParts} parts when it is written out`)
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
    if (instead !== undefined) throw new DocumentFault(at, `"${keyword}" cannot be used in "when": ${instead}`)
    if (keyword === 'uniqueItems' && value === true) {
      throw new DocumentFault(at, '"uniqueItems" cannot be used in "when": a long list would hold up the hub')
    }
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
      throw new DocumentFault(at, '"$ref" can only mean a place in the same condition, such as "#/$defs/name"')
    }
    if (reference === '#' || within.includes(reference)) {
      throw new DocumentFault(at, `"$ref" leads back to itself by ${reference}: write as many levels as are needed`)
    }
    const target = partAt(root, reference)
    if (target === undefined) throw new DocumentFault(at, `"$ref": there is nothing at ${reference} in this condition`)
    return unfold(target, at, [...within, reference])
  }

  return unfold(root, path, []) as Schema
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
