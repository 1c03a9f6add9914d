/**
 * As much of large arguments as a list shows: names and values in their order, until there is no more room. Nothing is
 * added, so that what is left out can be told from the sizes.
 */
import type { JsonObject } from './approval-record.ts'

const mostCharacters = 4_000
/** Quotes and commas, and what is neither text, list nor object. */
const charactersAround = 4

/** `undefined`: they are short enough as they are. */
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
    // Half of a character would be written longer than the whole.
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
