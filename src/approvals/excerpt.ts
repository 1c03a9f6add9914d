/**
 * Shortens large arguments for lists: keeps names and values in their order until the limit is reached. It adds
 * nothing, so the difference in size is exactly the part left out.
 */
import type { JsonObject } from './approval-record.ts'

const mostCharacters = 4_000
/** Estimated cost of quotes and commas, and of a value that is not a string, list or object. */
const charactersAround = 4

/** Returns `undefined` if the arguments are short enough. */
export function excerptOf(given: JsonObject): JsonObject | undefined {
  let room = mostCharacters
  let isCut = false

  function take(value: unknown): unknown {
    room -= charactersAround
    if (typeof value === 'string') return takeText(value)
    if (Array.isArray(value)) return takeItems(value)
    return typeof value === 'object' && value !== null ? takeFields(value) : value
  }

  function takeText(text: string): string {
    // JSON escapes half of a surrogate pair, which takes more bytes than the whole character.
    const taken = text.slice(0, Math.max(0, room)).replace(/[\ud800-\udbff]$/, '')
    room -= taken.length
    isCut ||= taken.length < text.length
    return taken
  }

  function takeItems(items: readonly unknown[]): unknown[] {
    const taken: unknown[] = []
    for (const item of items) {
      if (isFull(0)) break
      taken.push(take(item))
    }
    return taken
  }

  function takeFields(fields: object): JsonObject {
    const taken: [string, unknown][] = []
    for (const [name, value] of Object.entries(fields)) {
      if (isFull(name.length)) break
      room -= name.length
      taken.push([name, take(value)])
    }
    return Object.fromEntries(taken)
  }

  function isFull(needed: number): boolean {
    const isIt = room <= needed
    isCut ||= isIt
    return isIt
  }

  const excerpt = takeFields(given)
  return isCut ? excerpt : undefined
}
