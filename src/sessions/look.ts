/** Looking at a terminal until it shows something: again after every change, and never by polling. */
import type { Terminal } from '../terminal/terminal.ts'

export interface Look {
  /** The visible screen: its lines without the blanks at their ends, and without empty ones at its end. */
  readonly text: string
  readonly offset: number
  /** How long nothing was printed. */
  readonly quietMs: number
}

/** `againInMs`: look again then, even if nothing changes. */
export type Verdict = 'met' | 'not-yet' | { readonly againInMs: number }
export type Outcome = 'met' | 'ended' | 'timed-out'

export function lookUntil(
  terminal: Terminal,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  judge: (look: Look) => Verdict,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let changedAt = performance.now()
    let lastOffset = terminal.offset
    let again: NodeJS.Timeout | undefined
    const deadline = setTimeout(() => finish('timed-out'), timeoutMs)
    const stopListening = terminal.onChange(look)
    const onAbort = () => stop(() => reject(signal.reason as Error))
    signal.addEventListener('abort', onAbort, { once: true })

    function look(): void {
      const { offset } = terminal
      if (offset !== lastOffset) {
        lastOffset = offset
        changedAt = performance.now()
      }
      clearTimeout(again)
      let verdict: Verdict
      try {
        verdict = judge({ text: terminal.screen.text(), offset, quietMs: performance.now() - changedAt })
      } catch (error) {
        return stop(() => reject(error))
      }
      if (verdict === 'met') finish('met')
      else if (terminal.life.is !== 'running' && terminal.screen.offset >= offset) finish('ended')
      else if (verdict !== 'not-yet') again = setTimeout(look, Math.ceil(verdict.againInMs))
    }

    function finish(outcome: Outcome): void {
      stop(() => resolve(outcome))
    }

    function stop(settle: () => void): void {
      clearTimeout(deadline)
      clearTimeout(again)
      stopListening()
      signal.removeEventListener('abort', onAbort)
      settle()
    }

    if (signal.aborted) onAbort()
    else look()
  })
}
