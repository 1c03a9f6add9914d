/** Asking the agent of a session, by the agent of another session or by a person. */
import type { Question } from './session.ts'
import type { TurnStatus, Usage } from './thread.ts'

/** Waits for the answer. Throws a `HubError` if the agent cannot be asked or does not answer. */
export type AskSession = (request: AskRequest) => Promise<Asked>

export interface AskRequest {
  /** Name or id. */
  readonly session: string
  readonly text: string
  /** The id of the session whose agent asks. `undefined`: a person asks. */
  readonly caller?: string | undefined
  /** The correlation of the call that asks, and the event that records the call. */
  readonly correlation: string
  readonly event?: string | undefined
  /** Cancels the question and interrupts the turn of the session. */
  readonly signal: AbortSignal
  /** Called while the agent works. */
  onProgress?(message: string): void
}

export interface Asked {
  /** `waiting`: the agent asks a question that a person must answer. */
  readonly status: TurnStatus | 'waiting'
  readonly answer?: string | undefined
  readonly reason?: string | undefined
  readonly question?: Question | undefined
  readonly usage?: Usage | undefined
  /** The cursor of the turn, for `read_thread`. */
  readonly turn: string
  readonly route: string
  readonly session_id: string
  readonly thread_id?: string | undefined
}
