/**
 * Access to a person's tmux. Uses ordinary clients: a client in control mode that connects during a change can crash
 * the server (3.3a), with everything the person runs in it.
 */
import { runForBytes } from '../../base/start-program.ts'

export interface TmuxAccess {
  /** The path of the program. */
  readonly program: string
  /** `['-L', name]` or `['-S', path]`; without them, the default server of tmux. */
  readonly server?: readonly string[]
  /**
   * The environment of the client. If it starts a new server, the server gets it too, so it contains no session secret.
   */
  readonly env: Readonly<Record<string, string>>
}

export type TmuxCommand = readonly string[]

const maxAnswerBytes = 256 * 1024 * 1024

/**
 * Runs the commands one after another, with no other command in between. Throws the error message of tmux. Every user
 * of the machine can see the commands, but not `input`.
 */
export async function runTmux(
  { program, env, server = [] }: TmuxAccess,
  commands: readonly TmuxCommand[],
  input: Buffer | string = '',
): Promise<Buffer> {
  const words = commands.flatMap((command, index) => (index === 0 ? command : [';', ...command]))
  const tmux = { file: program, args: ['-u', ...server, ...words], cwd: '/', env }
  try {
    return await runForBytes(tmux, 'person', { input, maxBuffer: maxAnswerBytes })
  } catch (error) {
    const { message, stderr } = error as Error & { readonly stderr?: Buffer }
    throw new TmuxError(stderr?.toString().trim() || message, { cause: error })
  }
}

export class TmuxError extends Error {
  /** There was no server. */
  get isWithoutServer(): boolean {
    return /no server running|error connecting to|no sessions/.test(this.message)
  }

  /** The server was just ending with its last session, or was just being started by another client. */
  get isLost(): boolean {
    return /server exited|lost server/.test(this.message)
  }
}
