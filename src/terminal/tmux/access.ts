/**
 * Whose tmux is meant, and how it is asked. By ordinary clients: one in control mode that connects while anything
 * changes can crash the server (3.3a), with all that the person has in it.
 */
import { execFile } from 'node:child_process'

export interface TmuxAccess {
  /** The path of the program. */
  readonly program: string
  /** Of the client. A server that is not there yet is started with it, so it holds no secret of a session. */
  readonly env: Readonly<Record<string, string>>
}

export type TmuxCommand = readonly string[]

const maxAnswerBytes = 256 * 1024 * 1024

/**
 * The commands are done one after another, with nothing in between. Throws what tmux says is wrong. What stands in them
 * can be seen by everybody on this machine; `input` cannot.
 */
export function askTmux(
  { program, env }: TmuxAccess,
  commands: readonly TmuxCommand[],
  input: Buffer | string = '',
): Promise<Buffer> {
  const words = commands.flatMap((command, index) => (index === 0 ? command : [';', ...command]))
  return new Promise((resolve, reject) => {
    const options = { env: { ...env }, cwd: '/', encoding: 'buffer', maxBuffer: maxAnswerBytes } as const
    const client = execFile(program, ['-u', ...words], options, (error, answer, complaint) => {
      if (error) reject(new TmuxError(complaint.toString().trim() || error.message, { cause: error }))
      else resolve(answer)
    })
    client.stdin?.on('error', () => {})
    client.stdin?.end(input)
  })
}

export class TmuxError extends Error {
  /** Nobody was there to ask. */
  get isWithoutServer(): boolean {
    return /no server running|error connecting to|no sessions/.test(this.message)
  }

  /** The server was just ending with its last session, or just being started by somebody else. */
  get isLost(): boolean {
    return /server exited|lost server/.test(this.message)
  }
}
