/** Repeats a call of a model that failed before the model answered anything. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Backoff } from '../base/backoff.ts'
import { backoffMs } from '../base/backoff.ts'

/** A person waits for the answer, so the hub gives up soon. */
const mostTries = 3
const backoff: Backoff = { firstMs: 500, longestMs: 8_000 }
/** A provider may ask for a longer pause than a person wants to wait for. */
const longestPauseMs = 30_000

export async function withRetries<Answer>(call: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      const pauseMs = pauseAskedFor(error) ?? backoffMs(backoff, tries)
      if (tries >= mostTries || signal.aborted || !mayRepeat(error) || pauseMs > longestPauseMs) throw error
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

/** The provider was busy or failed, or nothing was sent. */
function mayRepeat(error: unknown): boolean {
  const { statusCode } = error as { statusCode?: unknown }
  if (typeof statusCode === 'number') return statusCode === 429 || statusCode >= 500
  return wasRefused(error)
}

/** Nothing listens at the address. */
export function wasRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (error instanceof AggregateError) return error.errors.some(wasRefused)
  return code === 'ECONNREFUSED' || wasRefused(error.cause)
}

function pauseAskedFor(error: unknown): number | undefined {
  const { responseHeaders } = error as { responseHeaders?: Readonly<Record<string, string>> }
  const seconds = Number(responseHeaders?.['retry-after'])
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}
