/** How much one token may ask. Each question keeps a Codex busy, so the limits are low. */
import { HubError } from '../../base/hub-error.ts'

export interface QueryLimits {
  /** Throws if the token asks too much. Disposing of the result ends the question. */
  enter(token: string): Disposable
}

export interface QueryLimitsOptions {
  readonly atOnce: number
  readonly perMinute: number
  readonly now?: () => number
}

const minuteMs = 60_000

export function createQueryLimits({
  atOnce,
  perMinute,
  now = () => performance.now(),
}: QueryLimitsOptions): QueryLimits {
  const running = new Map<string, number>()
  const starts = new Map<string, readonly number[]>()

  function startsOf(token: string): readonly number[] {
    const since = now() - minuteMs
    return (starts.get(token) ?? []).filter((at) => at > since)
  }

  /** Tokens come and go, so those that asked nothing lately are forgotten. */
  function forgetOld(): void {
    for (const token of starts.keys()) if (startsOf(token).length === 0) starts.delete(token)
  }

  return {
    enter(token) {
      const mine = running.get(token) ?? 0
      if (mine >= atOnce) {
        throw new HubError(
          'busy',
          `This token already has ${mine} questions that are being answered (SIGNALBOX_REPOSITORY_MAX_QUERIES). Wait for an answer, then ask again.`,
        )
      }
      forgetOld()
      const recent = startsOf(token)
      const [oldest] = recent
      if (oldest !== undefined && recent.length >= perMinute) {
        const seconds = Math.ceil((oldest + minuteMs - now()) / 1_000)
        throw new HubError(
          'busy',
          `This token asked ${recent.length} questions within a minute (SIGNALBOX_REPOSITORY_QUERIES_PER_MINUTE). Ask again in ${seconds} seconds.`,
        )
      }
      running.set(token, mine + 1)
      starts.set(token, [...recent, now()])
      return {
        [Symbol.dispose]() {
          const left = running.get(token)! - 1
          if (left > 0) running.set(token, left)
          else running.delete(token)
        },
      }
    },
  }
}
