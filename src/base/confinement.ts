/** A sandbox, as the holder of a program needs it. The engine `sandbox` creates it. */

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
}

/** The sockets that a holder opens for the sandbox of its program. */
export interface ForwardsSpec {
  /** They lead out of the sandbox. */
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

/** Who decides about the hosts that a sandbox reaches: the hub, and a list for hosts without a rule. */
export interface NetworkJudge {
  readonly allow: readonly string[]
  readonly hub: {
    readonly socket: string
    /** The Host of requests. */
    readonly authority: string
    /** That of the session. */
    readonly token: string
    /** Shows that the proxy asks, and not the agent, which has the same token. */
    readonly proof: string
  }
}

/** In the folder of the forwards: the socket that leads in is in a folder of its own, which the sandbox may write. */
export const inwardFolder = 'in'
export const inwardSocket = 's'
