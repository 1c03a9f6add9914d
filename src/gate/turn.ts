/** A turn is one prompt and everything the agent does until it stops. Its chain says for whom the agent works in it. */
import type { TurnStatus, Usage } from '../api/thread.ts'
import type { Delivery } from '../drivers/drivers.ts'
import type { CallPlace } from './authorization.ts'

export interface Turns {
  /** Call it before the prompt is delivered: from here on the rules of the whole chain apply to the session. */
  begin(start: TurnStart): Promise<Turn>
  /** The place of everything that the agent does now. `undefined`: it works on no prompt that the hub gave it. */
  placeOf(session: string): CallPlace | undefined
  /** The other sessions that the session works for now, the first caller first. */
  callersOf(session: string): readonly ChainMember[]
  /** The sessions with a turn that has not ended. */
  running(): readonly string[]
  isRunning(session: string): boolean
  /** Calls the listener when a turn of the session has ended. Returns a function that stops it. */
  onEnd(session: string, listener: () => void): () => void
  /**
   * The agent reports that it has been idle since this time. Turns that began before are over, unless its thread shows
   * the agent in the middle of something: an agent could report this while it works for another.
   */
  endIdle(session: string, since: string): Promise<void>
  /** Restores the turns of an earlier hub. */
  start(): Promise<void>
  readonly on: { 'session-ended'(signal: { readonly session: string }): Promise<void> }
  readonly sweeps: readonly { readonly everyMs: number; run(): Promise<void> }[]
}

export interface ChainMember {
  /** The session id. */
  readonly id: string
  readonly name: string
}

export interface TurnStart {
  readonly session: ChainMember
  /** The session whose agent gives the prompt. `undefined`: a person does. */
  readonly caller?: ChainMember | undefined
  readonly prompt: string
  /** Its agent works already, on something the hub may not know. */
  readonly isBusy: boolean
  /** Of the call that gives the prompt, and the event that records it. */
  readonly correlation: string
  readonly parent?: string | undefined
}

export interface Turn {
  readonly id: string
  /** The position after the prompt, for `read_thread`. */
  readonly cursor: string
  /** By name; the last is the session whose turn it is. */
  readonly chain: readonly string[]
  /** `undefined`: it has not ended. */
  readonly outcome: TurnOutcome | undefined
  /** The session works on this turn, and not on one before it. */
  readonly isCurrent: boolean
  /** Gives the agent the prompt. The turn ends if it was not delivered; if that is uncertain, it continues. */
  deliver<Given extends Delivery>(give: () => Promise<Given>): Promise<Given>
}

export interface TurnOutcome {
  readonly status: TurnStatus
  readonly reason?: string | undefined
  /** The last thing that the agent said. */
  readonly answer?: string | undefined
  readonly usage?: Usage | undefined
}
