/**
 * Finds the chunks that contain the most telling words of a question, without scoring them. To score a chunk takes ten
 * times as long as to find it, and most chunks of a large repository contain only the common words of a question.
 */
import type { DatabaseSync } from 'node:sqlite'

export interface TellingChunks {
  /** How many chunks contain any of the words. */
  readonly all: number
  /** The best `count` chunks, and those that are as good as the last of them. */
  best(count: number): readonly number[]
}

export function tellingChunks(database: DatabaseSync, terms: readonly string[]): TellingChunks {
  // As one text, because a row for each chunk takes longer to hand over than to find.
  const select = database.prepare('select json_group_array(rowid) as ids from words where words match ?')
  const lists = terms.map((term) => JSON.parse(String(select.get(term)!['ids'])) as number[])
  const tree = database.prepare(`select value ->> 'chunks' as chunks from meta where key = 'tree'`).get()
  const chunks = Number(tree?.['chunks'] ?? 0)
  const { ids, sums } = merge(
    lists,
    lists.map(({ length }) => weightOf(length, chunks)),
  )
  const sorted = Float64Array.from(sums).sort()
  return {
    all: ids.length,
    best(count) {
      const least = sorted[Math.max(0, sorted.length - count)] ?? 0
      return ids.filter((_, index) => sums[index]! >= least)
    },
  }
}

/** As BM25 weighs a word: a rare one tells more. */
function weightOf(found: number, chunks: number): number {
  return Math.log(Math.max(1, (chunks - found + 0.5) / (found + 0.5)))
}

/** The ids of all lists, each once, with the sum of the weights of its lists. All are in ascending order. */
function merge(lists: readonly number[][], weights: readonly number[]) {
  const ids: number[] = []
  const sums: number[] = []
  for (const list of lists) list.push(Infinity)
  const next = lists.map(() => 0)
  for (;;) {
    let least = Infinity
    for (let index = 0; index < lists.length; index++) least = Math.min(least, lists[index]![next[index]!]!)
    if (least === Infinity) return { ids, sums }
    let sum = 0
    for (let index = 0; index < lists.length; index++) {
      if (lists[index]![next[index]!] !== least) continue
      next[index]!++
      sum += weights[index]!
    }
    ids.push(least)
    sums.push(sum)
  }
}
