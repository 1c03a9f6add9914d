/** A running scenario: the suite's server is bound to the session, and the agent can use it. */
import type { Endpoint } from '../harness/modern-call.ts'
import type { Agent } from './agent.ts'

export interface ScenarioRun {
  /** The endpoint for a person. */
  readonly hub: Endpoint
  /** The name of the connector, which is also the label of its binding. */
  readonly connector: string
  readonly agent: Agent
  /** The suite's instructions for the scenario. */
  readonly context: Readonly<Record<string, unknown>>
}
