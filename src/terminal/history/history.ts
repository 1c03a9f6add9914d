/**
 * The lines that have scrolled off a screen, also those that are not kept hot any more. Where all are hot they are read
 * from the screen; else the journal is played again in a thread, once, and followed from then on. The thread does the
 * searching in both cases, since a search may take as long as it is given.
 */
import { siblingModule } from '../../base/sibling-module.ts'
import { compilePattern } from '../patterns.ts'
import type { Screen } from '../screen.ts'
import type { SearchOptions, SearchResult } from '../search.ts'
import { createThread } from '../thread.ts'
import type { PrintedRow } from './text-row.ts'

/** As of when it was asked for; ask again for what came since. */
export interface History {
  readonly total: number
  /** 0 is the oldest. */
  lines(from: number, count: number): Promise<readonly HistoryLine[]>
  /** The rows of the matches count from the oldest line. */
  search(pattern: string, options: HistorySearchOptions): Promise<SearchResult>
}

export interface HistoryLine {
  readonly text: string
  /** It continues the line above. */
  readonly isWrapped: boolean
}

export interface HistorySearchOptions extends SearchOptions {
  readonly ignoreCase: boolean
}

export type HistoryQuestion =
  | { readonly is: 'total'; readonly journal: string }
  | { readonly is: 'lines'; readonly journal: string; readonly from: number; readonly count: number }
  | ({ readonly is: 'search'; readonly in: string | readonly PrintedRow[] } & Sought)

interface Sought {
  readonly pattern: string
  readonly options: HistorySearchOptions
}

const thread = createThread<HistoryQuestion>({
  module: siblingModule('history-thread', import.meta.url),
  memoryMb: 128,
})

export async function openHistory(journal: string, screen: Screen): Promise<History> {
  await screen.settled()
  return screen.hasOlderLines ? replayedHistory(journal) : hotHistory(screen)
}

function hotHistory(screen: Screen): History {
  return {
    total: screen.scrollbackLength,
    async lines(from, count) {
      const rows = screen.scrollback().slice(from, from + count)
      return rows.map(({ text, isWrapped }) => ({ text, isWrapped }))
    },
    search: (pattern, options) =>
      search({ pattern, options }, () =>
        screen.scrollback().map(({ printedText, isWrapped }) => ({ printedText, isWrapped })),
      ),
  }
}

async function replayedHistory(journal: string): Promise<History> {
  return {
    total: await thread.ask<number>({ is: 'total', journal }),
    lines: (from, count) => thread.ask({ is: 'lines', journal, from, count }),
    search: (pattern, options) => search({ pattern, options }, () => journal),
  }
}

async function search(sought: Sought, place: () => string | readonly PrintedRow[]): Promise<SearchResult> {
  // Here, where what is wrong with it can be told.
  await compilePattern(sought.pattern, sought.options)
  return thread.ask({ is: 'search', in: place(), ...sought })
}
