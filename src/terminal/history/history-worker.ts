/** The worker behind the history: replays journals, draws earlier screens and searches, without blocking the hub. */
import { answerEach } from '../../base/worker-answers.ts'
import { compilePattern } from '../../base/pattern.ts'
import type { Rows } from '../screen/search.ts'
import { searchRows } from '../screen/search.ts'
import type { HistoryLine, HistoryQuestion } from './history.ts'
import type { ReplayedLines } from './replayed-lines.ts'
import { replayLines } from './replayed-lines.ts'
import { drawScreenAt } from './screen-at.ts'
import type { PrintedRow } from './text-row.ts'
import { createTextRow } from './text-row.ts'

/** In order of use, the most recent last. */
const histories = new Map<string, ReplayedLines>()
const maxHistories = 4

function historyOf(journal: string): ReplayedLines {
  const history = histories.get(journal) ?? replayLines(journal)
  histories.delete(journal)
  histories.set(journal, history)
  const [oldest] = histories.keys()
  if (histories.size > maxHistories && oldest !== undefined) {
    histories.get(oldest)?.[Symbol.dispose]()
    histories.delete(oldest)
  }
  return history
}

answerEach(async (question: HistoryQuestion) => {
  switch (question.is) {
    case 'total': {
      const history = historyOf(question.journal)
      history.follow(question.withinMs)
      return history.total
    }
    case 'lines':
      return historyOf(question.journal)
        .rows(question.from, question.from + question.count)
        .map(({ text, isWrapped }): HistoryLine => ({ text, isWrapped }))
    case 'screen':
      return drawScreenAt(question.journal, question.at)
    case 'search': {
      const pattern = await compilePattern(question.pattern, question.options)
      return searchRows(rowsIn(question.in), pattern, question.options)
    }
  }
})

/** The rows of a journal, or the rows in the question. */
function rowsIn(place: string | readonly PrintedRow[]): Rows {
  if (typeof place !== 'string') return place.map(createTextRow)
  const history = historyOf(place)
  return { length: history.total, slice: (start, end) => history.rows(start, end) }
}
