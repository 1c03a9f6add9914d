/** The thread behind history: plays journals again and searches them, and holds up nobody. */
import { answerEach } from '../answer-thread.ts'
import { compilePattern } from '../patterns.ts'
import { searchRows } from '../search.ts'
import type { HistoryLine, HistoryQuestion } from './history.ts'
import type { ReplayedLines } from './replayed-lines.ts'
import { replayLines } from './replayed-lines.ts'

/** The one asked for last stands last. */
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
  const history = historyOf(question.journal)
  switch (question.is) {
    case 'total':
      history.follow()
      return history.total
    case 'lines':
      return history
        .rows(question.from, question.from + question.count)
        .map(({ text, isWrapped }): HistoryLine => ({ text, isWrapped }))
    case 'search': {
      const pattern = await compilePattern(question.pattern, question.options)
      const rows = { length: history.total, slice: (start: number, end: number) => history.rows(start, end) }
      return searchRows(rows, pattern, question.options)
    }
  }
})
