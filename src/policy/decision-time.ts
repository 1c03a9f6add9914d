/**
 * Limits the time of one decision. A decision blocks the hub, and an agent may choose the arguments and propose the rules.
 * The limit is in CPU time of this thread, so that a busy machine does not change a decision.
 */
import { cpuMs } from '../base/cpu-ms.ts'
import type { Pattern } from '../base/pattern.ts'

const maxCpuMs = 100
/** Steps of a pattern times characters of a text: about 140 ms at worst, usually a few milliseconds. */
const maxPatternWork = 4_000_000

let running: { readonly started: number; readonly cpuMs: number } | undefined

/** All evaluations inside `run` share one limit. A nested call shares the limit of the outer one. */
export function withinTimeLimit<Result>(run: () => Result): Result {
  if (running) return run()
  running = { started: performance.now(), cpuMs: cpuMs() }
  try {
    return run()
  } finally {
    running = undefined
  }
}

/** Throws when the time is up. */
export function checkTimeLimit(): void {
  if (!running || performance.now() - running.started < maxCpuMs) return
  if (cpuMs() - running.cpuMs < maxCpuMs) return
  throw new Error(
    'the decision takes too long. Call the tool with shorter arguments, or ask a person to simplify the rules',
  )
}

export function testWithinTimeLimit(pattern: Pattern, text: string): boolean {
  checkTimeLimit()
  if (pattern.size * text.length <= maxPatternWork) return pattern.test(text)
  throw new Error(
    `a text of ${text.length} characters is too long for the pattern "${pattern.source}" of ${pattern.size} steps. ` +
      'Call the tool with a shorter text, or ask a person to simplify the pattern',
  )
}
