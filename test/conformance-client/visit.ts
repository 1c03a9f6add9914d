/** One scenario: the suite's server is bound to the session, and the agent may use it. */
import type { Endpoint } from '../harness/modern-call.ts'
import type { Agent } from './agent.ts'

export interface Visit {
  /** As its person sees it. */
  readonly hub: Endpoint
  /** Its name, which is also its label. */
  readonly connector: string
  readonly agent: Agent
  /** What the suite tells beside the address. */
  readonly context: Readonly<Record<string, unknown>>
}
