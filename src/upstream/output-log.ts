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
  const kept: { readonly at: number; readonly from: OutputLine['from']; readonly text: string }[] = []
  let total = 0

  return {
    get total() {
      return total
    },
    add(from, text) {
      // A program may write a million lines, so times are written only when they are read.
      kept.push({ at: Date.now(), from, text: text.slice(0, longestLine) })
      if (kept.length > mostLines) kept.shift()
      total++
      onLine()
    },
    lines() {
      // A secret may have several lines, so only the whole text shows it.
      const shown = new Set(redact(kept.map(({ text }) => text).join('\n')).split('\n'))
      return kept.map(({ at, from, text }) => {
        const redacted = shown.has(text) ? text : redact(text)
        return { at: new Date(at).toISOString(), from, text: shown.has(redacted) ? redacted : redactedText }
      })
    },
  }
}
