/** Replays recorded calls under the text in the editor. */
import { useEffect, useRef, useState } from 'react'
import { type Effect, effects } from '../../src/api/policy.ts'
import { useHub } from '../hub/hub-context.tsx'
import { type PolicyPlace, idOf } from './policy-place.ts'
import { useStateFor } from './use-state-for.ts'

export interface SimulationResult {
  readonly calls: number
  readonly unchanged: number
  readonly uncertain: number
  readonly changed: readonly ChangedCall[]
  readonly groups: readonly ChangedGroup[]
  readonly changes: readonly { readonly before: Effect; readonly after: Effect; readonly count: number }[]
  readonly truncated: boolean
}

interface Changed {
  readonly tool: string
  readonly before: Effect
  readonly after: Effect
  readonly rule?: string
}

export interface ChangedCall extends Changed {
  readonly event: string
  readonly at: string
  /** The id of the session. */
  readonly session: string
  readonly answer?: 'denied' | 'aborted'
}

export interface ChangedGroup extends Changed {
  readonly count: number
  readonly refused: number
  readonly sessions: readonly string[]
  readonly example?: string
}

export type Simulation =
  | { readonly is: 'none' }
  | { readonly is: 'running' }
  | { readonly is: 'failed'; readonly why: string }
  /** `text`: what was replayed. Times in milliseconds. */
  | {
      readonly is: 'done'
      readonly result: SimulationResult
      readonly text: string
      readonly ms: number
      readonly at: number
    }

export const periods = [
  { since: '24h', words: '24 h' },
  { since: '7d', words: '7 days' },
  { since: '30d', words: '30 days' },
] as const
export type Since = (typeof periods)[number]['since']

const mostCalls = 50_000
const notRun: Simulation = { is: 'none' }

export interface Simulating {
  readonly simulation: Simulation
  readonly since: Since
  run(since?: Since): void
}

export function useSimulation(place: PolicyPlace, text: string): Simulating {
  const { call } = useHub()
  const [since, setSince] = useState<Since>('7d')
  const [simulation, setSimulation] = useStateFor<Simulation>(idOf(place), notRun)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [idOf(place)])

  async function run(period: Since): Promise<void> {
    running.current?.abort()
    const stop = (running.current = new AbortController())
    const begun = performance.now()
    setSince(period)
    setSimulation({ is: 'running' })
    try {
      const args = { ...place, source: text, since: period, limit: mostCalls }
      const result = await call<SimulationResult>('simulate_policy', args, stop.signal)
      setSimulation({ is: 'done', result, text, ms: performance.now() - begun, at: Date.now() })
    } catch (error) {
      if (stop.signal.aborted) return
      setSimulation({ is: 'failed', why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { simulation, since, run: (period = since) => void run(period) }
}

export interface Counts {
  readonly looser: number
  readonly stricter: number
  /** Calls that a person refused and that would run now. */
  readonly refusedNowAllowed: number
}

export function countsOf({ changes, groups }: SimulationResult): Counts {
  const rank = (effect: Effect) => effects.indexOf(effect)
  const sum = (counted: typeof changes) => counted.reduce((total, { count }) => total + count, 0)
  return {
    looser: sum(changes.filter(({ before, after }) => rank(after) < rank(before))),
    stricter: sum(changes.filter(({ before, after }) => rank(after) > rank(before))),
    refusedNowAllowed: groups.reduce((total, { after, refused }) => total + (after === 'allow' ? refused : 0), 0),
  }
}
