/** Whose tmux is meant, and how it is asked a single thing. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface TmuxAccess {
  /** The path of the program. */
  readonly program: string
  /** Of the client. A server that is not there yet is started with it, so it holds no secret of a session. */
  readonly env: Readonly<Record<string, string>>
}

/** Throws what tmux says is wrong. What stands in `args` can be seen by everybody on this machine. */
export async function askTmux({ program, env }: TmuxAccess, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(program, ['-u', ...args], { env: { ...env } })).stdout
  } catch (error) {
    throw new Error(saidBy(error), { cause: error })
  }
}

function saidBy(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string }
  return stderr?.trim() || message
}
