/** Asks the hub for the socket of a session. The socket may change when the session is resumed; its name stays. */
import { CliError } from '../command/cli-error.ts'
import type { CliContext } from '../command/command.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import type { HubArguments } from '../hub-client/ask-hub.ts'

export async function socketOfSession(session: string, args: HubArguments, context: CliContext): Promise<string> {
  const { mcp_socket: path } = await askHub('get_session', { name: session }, args, context)
  if (typeof path === 'string') return path
  throw new CliError(
    'unreachable',
    `The session "${session}" has ended and has no socket. "signalbox ls" lists the running sessions, and "signalbox resume" continues an ended one.`,
  )
}
