/**
 * The lines that have scrolled off a screen, including those that are no longer in memory. If all lines are in memory,
 * the screen provides them. Otherwise a worker replays the journal once and follows it from then on. The worker also
 * does all searches, since a search may use its whole time limit.
 */
import { compilePattern } from '../../base/pattern.ts'
import type { Screen } from '../screen/screen.ts'
import type { SearchOptions, SearchResult } from '../screen/search.ts'
import { createWorker } from '../../base/worker.ts'
import { siblingModule } from '../../base/sibling-module.ts'
import type { EarlierScreen } from './screen-at.ts'
import type { PrintedRow } from './text-row.ts'

/** The lines at the time of the request. Request it again for later lines. */
export interface History {
  readonly total: number
  /** 0 is the oldest line. */
  lines(from: number, count: number): Promise<readonly HistoryLine[]>
  /** Row numbers of matches count from the oldest line. */
  search(pattern: string, options: HistorySearchOptions): Promise<SearchResult>
}

export interface HistoryLine {
  readonly text: string
  /** The row continues the line above. */
  readonly isWrapped: boolean
}

export interface HistorySearchOptions extends SearchOptions {
  readonly ignoreCase: boolean
}

export type HistoryQuestion =
  | { readonly is: 'total'; readonly journal: string; readonly withinMs: number }
  | { readonly is: 'lines'; readonly journal: string; readonly from: number; readonly count: number }
  | { readonly is: 'screen'; readonly journal: string; readonly at: number }
  | ({ readonly is: 'search'; readonly in: string | readonly PrintedRow[] } & SearchRequest)

interface SearchRequest {
  readonly pattern: string
  readonly options: HistorySearchOptions
}

const worker = createWorker<HistoryQuestion>({
  module: siblingModule('history-worker', import.meta.url),
  memoryMb: 128,
})

export interface HistoryOptions {
  /** The CPU time for lines that must be drawn for this. */
  readonly withinMs?: number
}

/** All sessions share the worker, and a hundred megabytes of text take no longer. */
const usuallyWithinMs = 4_000

export async function openHistory(journal: string, screen: Screen, options: HistoryOptions = {}): Promise<History> {
  const { withinMs = usuallyWithinMs } = options
  await screen.settled()
  return screen.hasOlderLines ? replayedHistory(journal, withinMs) : historyInMemory(screen)
}

/** The screen as it was when this much had been printed. */
export function earlierScreen(journal: string, at: number): Promise<EarlierScreen> {
  return worker.ask({ is: 'screen', journal, at })
}

function historyInMemory(screen: Screen): History {
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

async function replayedHistory(journal: string, withinMs: number): Promise<History> {
  return {
    total: await worker.ask<number>({ is: 'total', journal, withinMs }),
    lines: (from, count) => worker.ask({ is: 'lines', journal, from, count }),
    search: (pattern, options) => search({ pattern, options }, () => journal),
  }
}

async function search(request: SearchRequest, place: () => string | readonly PrintedRow[]): Promise<SearchResult> {
  // Compiled here first, where an invalid pattern can be reported.
  await compilePattern(request.pattern, request.options)
  return worker.ask({ is: 'search', in: place(), ...request })
}
