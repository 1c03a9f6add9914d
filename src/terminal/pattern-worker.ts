/** The worker that matches agents' patterns. It aborts a slow match, so that other questions get their turn. */
import { answerEach } from '../base/worker-answers.ts'
import { cpuMs } from '../base/cpu-ms.ts'
import type { Pattern } from '../base/pattern.ts'
import { compilePattern } from '../base/pattern.ts'
import type { PatternAnswer, PatternQuestion } from './untrusted-pattern.ts'

const timeLimitMs = 500
/** A waiting call asks again with each change of the screen, so compiled patterns are cached. */
const maxCached = 100
const cached = new Map<string, Pattern>()

async function patternOf(source: string): Promise<Pattern> {
  const pattern = cached.get(source) ?? (await compilePattern(source, { ignoreCase: false }))
  if (cached.size >= maxCached) cached.clear()
  cached.set(source, pattern)
  return pattern
}

answerEach(async ({ source, texts, wants }: PatternQuestion): Promise<PatternAnswer> => {
  const pattern = await patternOf(source)
  const start = cpuMs()
  const isLate = () => cpuMs() - start > timeLimitMs
  const found = []
  for (const text of texts) {
    const matches = []
    if (wants === 'whether') {
      if (pattern.test(text)) return [[{ start: 0, end: text.length }]]
    } else {
      for (const match of pattern.matchesIn(text)) {
        matches.push(match)
        if (isLate()) return undefined
      }
    }
    found.push(matches)
    if (isLate()) return undefined
  }
  return found
})
