/** Waits until the screen meets a condition: checks again after every change, and never polls. */
import type { Terminal } from '../../terminal/terminal.ts'

export interface ScreenState {
  /** The visible screen: lines without trailing blanks, and without empty lines at the end. */
  readonly text: string
  readonly offset: number
  /** The time since the last output. */
  readonly quietMs: number
}

/** `againInMs`: check again after this time, even if nothing changes. */
export type CheckResult = 'met' | 'not-yet' | { readonly againInMs: number }
export type Outcome = 'met' | 'ended' | 'timed-out'

export function waitForScreen(
  terminal: Terminal,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  check: (state: ScreenState) => CheckResult,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let changedAt = performance.now()
    let lastOffset = terminal.offset
    let again: NodeJS.Timeout | undefined
    const deadline = setTimeout(() => finish('timed-out'), timeoutMs)
    const stopListening = terminal.onChange(update)
    const onAbort = () => stop(() => reject(signal?.reason as Error))
    signal?.addEventListener('abort', onAbort, { once: true })

    function update(): void {
      const { offset } = terminal
      if (offset !== lastOffset) {
        lastOffset = offset
        changedAt = performance.now()
      }
      clearTimeout(again)
      let result: CheckResult
      try {
        result = check({ text: terminal.screen.text(), offset, quietMs: performance.now() - changedAt })
      } catch (error) {
        return stop(() => reject(error))
      }
      if (result === 'met') finish('met')
      else if (terminal.status.is !== 'running' && terminal.screen.offset >= offset) finish('ended')
      else if (result !== 'not-yet') again = setTimeout(update, Math.ceil(result.againInMs))
    }

    function finish(outcome: Outcome): void {
      stop(() => resolve(outcome))
    }

    function stop(settle: () => void): void {
      clearTimeout(deadline)
      clearTimeout(again)
      stopListening()
      signal?.removeEventListener('abort', onAbort)
      settle()
    }

    if (signal?.aborted) onAbort()
    else update()
  })
}
