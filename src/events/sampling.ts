/**
 * Sampling of verbose traffic: keeps the bodies of model calls, the request and the response, in a share of all traces. The
 * events stay, with their times, tokens, cost and outcome. The correlation decides, so that a trace has all its bodies or
 * none, also over several hubs and restarts. A failed call keeps its response.
 *
 * No other event is ever thinned: decisions, approvals, refusals and failures are the record of what happened, and the
 * simulation of a policy needs every call of a tool with its arguments, reads included.
 */
import { createHash } from 'node:crypto'
import type { NewEvent } from '../api/event.ts'

export interface Sampling {
  /** The event as it is stored. */
  thin(event: NewEvent): NewEvent
  /** How many bodies were left out since the last call. */
  takeCount(): number
}

/** `rate`: the share of traces that keep their bodies, from 0 to 1. `undefined`: all. */
export function createSampling(rate: number | undefined): Sampling {
  let leftOut = 0
  return {
    thin(event) {
      if (rate === undefined || event.correlation === undefined) return event
      const thinned = withoutBody(event)
      if (!thinned || isKept(event.correlation, rate)) return event
      leftOut++
      return thinned
    },
    takeCount() {
      const count = leftOut
      leftOut = 0
      return count
    },
  }
}

/** A killed hub forgets the count of this time. The events themselves say that their bodies were left out. */
const reportEveryMs = 60_000

/** Records from time to time, and at the end, how many bodies were left out. */
export function startReporting(
  sampling: Sampling,
  append: (event: NewEvent) => Promise<unknown>,
  onFault: (error: unknown) => void,
): AsyncDisposable {
  let missed = 0
  const report = async (): Promise<void> => {
    const bodies = sampling.takeCount() + missed
    missed = 0
    if (bodies === 0) return
    try {
      await append({ type: 'calls-unrecorded', payload: { calls: 0, bodies } })
    } catch (error) {
      missed += bodies
      onFault(error)
    }
  }
  const timer = setInterval(() => void report(), reportEveryMs).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await report()
    },
  }
}

/** `undefined`: the event has no body, or the body of a failure. */
function withoutBody(event: NewEvent): NewEvent | undefined {
  switch (event.type) {
    case 'model-called':
      return { ...event, payload: { ...event.payload, request: {}, left_out: 'sampling' } }
    case 'model-answered': {
      const { response, ...payload } = event.payload
      if (response === undefined || payload.outcome !== 'ok') return undefined
      return { ...event, payload: { ...payload, left_out: 'sampling' } }
    }
    default:
      return undefined
  }
}

function isKept(correlation: string, rate: number): boolean {
  return createHash('sha256').update(correlation).digest().readUInt32BE() < rate * 2 ** 32
}
