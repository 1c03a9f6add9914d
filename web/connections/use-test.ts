/** Tests a connector: whether it answers, what it offers, how long that takes. */
import { useState } from 'react'
import type { Connector } from '../../src/api/connector.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'

interface Offered {
  readonly count: number
}

export interface TestOutcome {
  readonly ok: boolean
  readonly ms: number
  readonly version?: string
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools?: Offered
  readonly resources?: Offered
  readonly prompts?: Offered
  readonly error?: string
  readonly stderr?: string
}

export interface ConnectorTest {
  readonly outcome: TestOutcome | undefined
  readonly isRunning: boolean
  /** Tests a saved connector by its name, or one that is not saved. */
  run(what: { readonly name: string } | { readonly connector: Partial<Connector> }): Promise<void>
  clear(): void
}

export function useTest(): ConnectorTest {
  const { call } = useHub()
  const isLost = useIsLost()
  const [outcome, setOutcome] = useState<TestOutcome>()
  const [isRunning, setIsRunning] = useState(false)
  return {
    outcome,
    isRunning,
    clear: () => setOutcome(undefined),
    async run(what) {
      if (isRunning || isLost) return
      setIsRunning(true)
      setOutcome(undefined)
      try {
        setOutcome(await call<TestOutcome>('test_connector', { ...what }))
      } catch (error) {
        setOutcome({ ok: false, ms: 0, error: error instanceof Error ? error.message : String(error) })
      } finally {
        setIsRunning(false)
      }
    },
  }
}
