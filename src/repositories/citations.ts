/**
 * Checks the citations of an answer against the index, so that every citation that is returned opens at lines that exist
 * and say what they are cited for.
 *
 *   text → cited places → each one kept, repaired or dropped → text with the right places, and the list of them
 */
import type { CheckedCounts, Citation } from '../api/repository.ts'
import type { CitedPlace } from './cited-places.ts'
import { citedPlaces } from './cited-places.ts'
import type { IndexedContent } from './repository.ts'
import { createPlaceFinder } from './place-finder.ts'
import type { FoundPlace, RightPlace } from './place-finder.ts'

export interface CheckedCitations {
  readonly citations: readonly Citation[]
  readonly checked: CheckedCounts
}

export interface CitationChecker {
  /** The text with the right places. An answer may come in pieces of whole lines. */
  check(text: string): Promise<string>
  /** The result for all texts so far. A place that is cited twice counts once. */
  result(): CheckedCitations
}

/** A citation is a pointer. A reader who wants more opens the file. */
const mostCitedCharacters = 4_000

export async function checkCitations(
  text: string,
  content: IndexedContent,
): Promise<CheckedCitations & { readonly text: string }> {
  const checker = createCitationChecker(content)
  return { text: await checker.check(text), ...checker.result() }
}

export function createCitationChecker(content: IndexedContent): CitationChecker {
  const find = createPlaceFinder(content)
  const counts = { kept: 0, repaired: 0, dropped: 0 }
  const citations = new Map<string, Citation>()
  const seen = new Map<string, FoundPlace>()

  async function look(place: CitedPlace): Promise<FoundPlace> {
    const key = JSON.stringify([place.path, place.start, place.end, place.quote])
    const known = seen.get(key)
    if (known) return known
    const found = await find(place)
    seen.set(key, found)
    if (found.is !== 'text') counts[found.is]++
    if (found.is === 'kept' || found.is === 'repaired') note(found)
    return found
  }

  function note({ path, start, end, symbol, lines }: RightPlace): void {
    const key = writtenAs({ path, start, end })
    if (citations.get(key)?.symbol !== undefined) return
    const text = lines.slice(start - 1, end).join('\n')
    citations.set(key, {
      repository: content.repository.name,
      path,
      start_line: start,
      end_line: end,
      host_path: content.hostPathOf(path),
      ...(symbol !== undefined && { symbol }),
      text: text.length <= mostCitedCharacters ? text : `${text.slice(0, mostCitedCharacters)}…`,
    })
  }

  return {
    async check(text) {
      const edits: Edit[] = []
      for (const place of citedPlaces(text)) {
        const found = await look(place)
        if (found.is === 'dropped') edits.push(removal(text, place))
        else if (found.is !== 'text') edits.push({ from: place.from, to: place.to, text: writtenAs(found) })
      }
      return edited(text, edits)
    },
    result: () => ({ citations: [...citations.values()], checked: { ...counts } }),
  }
}

function writtenAs({ path, start, end }: Pick<RightPlace, 'path' | 'start' | 'end'>): string {
  return `${path}:${start}${end === start ? '' : `-${end}`}`
}

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Stands for a citation in the middle of a sentence. */
const unverified = '[unverified]'

/** A citation in brackets is removed with the brackets. Elsewhere the sentence needs a word in its place. */
function removal(text: string, { from, to }: CitedPlace): Edit {
  const before = /[ \t]{0,8}[([]`?$/.exec(text.slice(Math.max(0, from - 10), from))?.[0]
  const after = /^`?[)\]]/.exec(text.slice(to))?.[0]
  if (before !== undefined && after !== undefined)
    return { from: from - before.length, to: to + after.length, text: '' }
  const isCode = text[from - 1] === '`' && text[to] === '`'
  return isCode ? { from: from - 1, to: to + 1, text: unverified } : { from, to, text: unverified }
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const { from, to, text: replacement } of edits) {
    result += text.slice(at, from) + replacement
    at = to
  }
  return result + text.slice(at)
}
