/** How a driver asks the gate about a tool that is built into its agent. */
import type { OwnTool } from '../../api/own-tools.ts'

export interface OwnToolGate {
  /**
   * Looks at the rules only, for an agent that can ask the person itself. `ask` is not recorded: the agent shows its own
   * question then, and `authorize` follows.
   */
  check(call: OwnToolCall): Promise<OwnToolCheck>
  /** Decides and records the call, and waits for a person if one must be asked. Never rejects: a failure is a refusal. */
  authorize(call: OwnToolCall): Promise<OwnToolAnswer>
  /**
   * The names of the tools that the hub itself offers to the agent. The compositor judges their calls. An agent puts the
   * name of its MCP server before them, but other servers may have a name that begins in the same way.
   */
  toolsOfHub(): Promise<readonly string[]>
  /** A person answered in the agent's own dialog, so the approval needs no other answer. */
  answeredInTerminal(approval: string, decision: 'approve' | 'deny'): Promise<void>
}

export interface OwnToolCall extends OwnTool {
  /** The agent's own settings want a person to confirm it: it waits for one, unless a rule or a grant decides. */
  readonly agentAsks: boolean
  /** Fires when the agent no longer waits for the answer. */
  readonly signal: AbortSignal
  /** Called when the call starts to wait for this approval. */
  onHeld?(approval: string): void
}

export type OwnToolCheck = OwnToolAnswer | { readonly is: 'ask'; readonly reason: string }

export type OwnToolAnswer = AllowedOwnTool | RefusedOwnTool

export interface AllowedOwnTool {
  readonly is: 'allowed'
  /** False: no rule matched. The agent's own settings decide. */
  readonly isRuled: boolean
  readonly approval: string | undefined
  /** Records how the call ended. */
  end(outcome: 'ok' | 'error' | 'cancelled'): void
}

export interface RefusedOwnTool {
  readonly is: 'refused'
  /** For the agent's model. */
  readonly reason: string
  /** The turn of the agent must end. */
  readonly endsTurn: boolean
  /** This hub stops before a person has answered. If the agent can wait, leave it waiting: the next hub asks again. */
  readonly isUndecided?: boolean
}
