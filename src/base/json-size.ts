/**
 * Estimates the size of a value as JSON, in bytes, without serialising it: that happens once, when it is sent. The
 * estimate is exact except for characters that JSON escapes.
 */
import { isRawNumber } from './exact-numbers.ts'

export function jsonSize(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return Buffer.byteLength(value) + 2
    case 'number':
      return Number.isFinite(value) ? String(value).length : 4
    case 'boolean':
      return value ? 4 : 5
    case 'object':
      if (value === null) return 4
      if (Array.isArray(value)) return listSize(value)
      return isRawNumber(value) ? value.rawJSON.length : fieldsSize(value)
    default:
      return 0
  }
}

/** Brackets, and a comma between two items. */
function listSize(list: readonly unknown[]): number {
  let size = Math.max(2, list.length + 1)
  // A JSON list has no holes: a value that JSON cannot represent becomes null.
  for (const one of list) size += jsonSize(one) || 4
  return size
}

function fieldsSize(fields: object): number {
  let size = 1
  for (const [name, value] of Object.entries(fields)) {
    // The name in quotes, a colon, and a comma or the closing bracket.
    if (value !== undefined) size += Buffer.byteLength(name) + 4 + jsonSize(value)
  }
  return Math.max(2, size)
}
