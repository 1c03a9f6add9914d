/** A sandbox, as the holder of a program needs it. The engine `sandbox` creates it. */
import type { Folder } from './open-inside.ts'

export interface SandboxedProgram {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Confinement {
  /** Its programs reach the machine only through forwards. */
  readonly hasOwnNetwork: boolean
  /** The hub reaches this port of the program. Nothing changes if the program uses the machine's network. */
  serving(port: number): Confinement
  /** The program reaches this port of the machine. Nothing changes if the program uses the machine's network. */
  reaching(port: number): Confinement
  /** The program may also read this file. */
  showing(file: string): Confinement
  /** The command line around the program. `folder`: where its holder opens the sockets of the forwards. */
  wrap(program: SandboxedProgram, folder: string): SandboxedProgram
  readonly forwards: ForwardsSpec
  /** The folders that the program may write. */
  readonly written: readonly WrittenPlace[]
}

/** A folder as it was when the sandbox was made. */
export interface WrittenPlace {
  /** Where the program sees it. */
  readonly path: string
  readonly folder: Folder
  /** Paths in the folder that the sandbox hides. */
  readonly hidden: readonly string[]
}

/** The sockets that a holder opens for the sandbox of its program. */
export interface ForwardsSpec {
  /** The sockets that lead out of the sandbox. */
  readonly outward: readonly OutwardForward[]
  /** The hub reaches this port of the sandbox, at the same port of the machine. */
  readonly inwardPort?: number | undefined
  readonly judge?: NetworkJudge | undefined
}

export type OutwardForward = { readonly name: string } & (
  | { readonly to: 'socket'; readonly path: string }
  | { readonly to: 'port'; readonly port: number; readonly isJudged: boolean }
  | { readonly to: 'proxy' }
)

/** Decides which hosts a sandbox may reach: the hub, and the list `allow` for hosts without a rule. */
export interface NetworkJudge {
  readonly allow: readonly string[]
  readonly hub: {
    readonly socket: string
    /** The Host of requests. */
    readonly authority: string
    /** The token of the session. */
    readonly token: string
    /** Proves that the proxy asks, and not the agent, which has the same token. */
    readonly proof: string
  }
}

/**
 * Inside the folder of the forwards. The socket that leads into the sandbox has its own folder, which the sandbox may
 * write.
 */
export const inwardFolder = 'in'
export const inwardSocket = 's'
