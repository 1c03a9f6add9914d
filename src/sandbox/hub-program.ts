/** A program that the hub itself runs for a session. It reaches no more than the session, and not the hub. */
import type { Sandbox } from '../api/sandbox.ts'
import type { Program, Reach } from '../base/start-program.ts'

export interface HubProgram {
  readonly sandbox: Sandbox
  readonly program: Pick<Program, 'file' | 'env'>
  readonly workspace?: string | undefined
  /** Files of the hub that it reads. */
  readonly files?: readonly string[]
  readonly session?: string | undefined
  /** The name of the connector whose program it is. */
  readonly connector?: string
}

/** Rejects if the sandbox cannot be made. Dispose of it after the program has ended. */
export type ConfineProgram = (program: HubProgram) => Promise<Disposable & { readonly within: Wrapping }>

type Wrapping = Extract<Reach, { readonly wrap: unknown }>
