/** The last lines about an upstream, with their times: the stderr of its program, and the actions of the hub. */
import { redactedText } from '../base/redact.ts'
import type { OutputLine } from './upstream-types.ts'

export interface OutputLog {
  add(from: OutputLine['from'], text: string): void
  /** Without secrets. */
  lines(): readonly OutputLine[]
  /** The number of all lines, including those that are no longer kept. */
  readonly total: number
}

const mostLines = 200
const longestLine = 500

export function createOutputLog(redact: (text: string) => string, onLine: () => void): OutputLog {
  const kept: OutputLine[] = []
  let total = 0

  return {
    get total() {
      return total
    },
    add(from, text) {
      kept.push({ at: new Date().toISOString(), from, text: text.slice(0, longestLine) })
      if (kept.length > mostLines) kept.shift()
      total++
      onLine()
    },
    lines() {
      // A secret may have several lines, so only the whole text shows it.
      const shown = new Set(redact(kept.map(({ text }) => text).join('\n')).split('\n'))
      return kept.map((line) => {
        if (shown.has(line.text)) return line
        const text = redact(line.text)
        return { ...line, text: shown.has(text) ? text : redactedText }
      })
    },
  }
}
