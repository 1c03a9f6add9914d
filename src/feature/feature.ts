/**
 * The shape that all features share, so that the hub is a list of them. A feature with open resources is also disposable,
 * and the hub closes features in reverse order.
 */
import type { FaceContents, Provider } from '../mcp/mcp.ts'
import type { Reactions } from './signals.ts'

export * from './signals.ts'

export interface Feature {
  /** For people: their part of the management server. */
  readonly providers?: readonly Provider[]
  /** For the agent of a session. `face` is its compositor, with the providers of all features. */
  providersOf?(session: string, face: FaceContents): readonly Provider[]
  readonly on?: Reactions
  /** Runs once, when all features react to signals and before the first request. */
  start?(): Promise<void>
  readonly sweeps?: readonly Sweep[]
}

/** Work that repeats while the hub runs. It never runs twice at once. */
export interface Sweep {
  readonly everyMs: number
  run(): Promise<void>
}
