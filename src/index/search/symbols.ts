/** Finds definitions by name: the same name, one that begins with it, one with its humps, or one that contains it. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { partsOf } from '../text/tokens.ts'
import { penaltyOf } from './ranking.ts'
import type { Place } from './place.ts'
import type { PathFilter } from './scope.ts'
import { setScope } from './scope.ts'

/** No more definitions are compared. A name that this many definitions contain says nothing. */
const maxFound = 5_000
const longestName = 200
/** A heading or a CSS rule is less often meant than code; an `impl` less often than its type. */
const lesserKinds: Readonly<Record<string, number>> = { section: 0.6, rule: 0.6, impl: 0.8, constant: 0.95 }

export function findSymbols(
  database: DatabaseSync,
  query: string,
  limit: number,
  filter: PathFilter | undefined,
): readonly Place[] {
  const wanted = query
    .trim()
    .replaceAll(/::|#|->/g, '.')
    .slice(0, longestName)
  const name = wanted.split('.').at(-1) ?? ''
  if (name === '') return []
  if (filter) setScope(database, filter)
  const file = filter ? 'temp.scope' : 'file'
  const select = (condition: string) =>
    database.prepare(`
      select definition.*, file.path from definition join ${file} as file on file.document = definition.document
      where ${condition} limit ${maxFound}`)

  // By the index of names first; only if that finds too little, all names are read.
  let found = select('name = ?').all(name)
  if (found.length < limit) found = select(`name like ? escape '\\'`).all(`${escaped(name)}%`)
  if (found.length < limit) {
    const anywhere = select(`name like ? escape '\\' or name like ? escape '\\'`)
    found = anywhere.all(`%${escaped(name)}%`, `%${humpsOf(name).map(escaped).join('%')}%`)
  }
  return found
    .flatMap((row) => placesOf(row, wanted, name))
    .toSorted((a, b) => b.score - a.score || a.symbol!.length - b.symbol!.length || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
}

function placesOf(row: Record<string, SQLOutputValue>, wanted: string, name: string): Place[] {
  const { path, symbol, kind } = row
  const score = likeness({ name: String(row['name']), symbol: String(symbol) }, wanted, name)
  if (score === 0) return []
  const rank = score * (lesserKinds[String(kind)] ?? 1) * penaltyOf(String(path), new Set())
  return [
    {
      document: Number(row['document']),
      path: String(path),
      startLine: Number(row['start_line']),
      endLine: Number(row['end_line']),
      symbol: String(symbol),
      kind: String(kind),
      score: rank,
    },
  ]
}

function likeness(found: { name: string; symbol: string }, wanted: string, name: string): number {
  if (wanted !== name) {
    const symbol = found.symbol.toLowerCase()
    const path = wanted.toLowerCase()
    // `Session.start` is not asking for every `start`.
    if (symbol !== path && !symbol.endsWith(`.${path}`)) return symbol.includes(path) ? 0.4 : 0
  }
  if (found.name === name) return 1
  const [lower, lowerName] = [found.name.toLowerCase(), name.toLowerCase()]
  if (lower === lowerName) return 0.9
  if (found.name.startsWith(name)) return 0.7
  if (lower.startsWith(lowerName)) return 0.65
  if (hasHumps(found.name, name)) return 0.6
  return lower.includes(lowerName) ? 0.4 : 0
}

/** `oII` finds `openInsideIndex`: each part of the query begins a part of the name, in order. */
function hasHumps(name: string, query: string): boolean {
  const parts = partsOf(name)
  let at = 0
  for (const hump of humpsOf(query)) {
    while (at < parts.length && !parts[at]!.startsWith(hump.toLowerCase())) at++
    if (at++ >= parts.length) return false
  }
  return true
}

/** Capitals in a row are a hump each: `HS` means `HttpServer`. */
function humpsOf(query: string): readonly string[] {
  return query.match(/[\p{Lu}\p{Lo}][\p{Ll}]*|\p{Ll}+|\p{N}+/gu) ?? [query]
}

function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
