/** `signalbox relay`: for MCP clients that start their servers and talk to them over stdio. */
import { socketPlaces } from '../../base/socket-places.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, loadFor } from '../command/common-flags.ts'
import { findHub } from '../hub-client/hub-address.ts'
import { bridgeHttp } from './bridge-http.ts'
import { bridgeSocket } from './bridge-socket.ts'
import { findSocket } from './find-socket.ts'
import { socketOfSession } from './session-socket.ts'

export const command = defineCommand({
  about: [
    'Connects an MCP client on stdin and stdout to a session, so that a client which only starts programs can use the',
    'terminal tools of that session. It uses the socket of --session, --socket or --name, else SIGNALBOX_MCP_SOCKET,',
    'else SIGNALBOX_MCP_SOCKET_NAME, else the newest session that answers. With --session it asks the hub for the socket,',
    'so it also finds the session after a resume. With --url it connects to the endpoint of a hub instead, with its token.',
    '"signalbox mcp-config" prints the settings for a client.',
  ].join('\n'),
  flags: {
    session: { takes: 'NAME', about: 'the session' },
    socket: { takes: 'PATH', about: "the path of a session's socket" },
    name: { takes: 'NAME', about: "the name of a session's socket" },
    ...hubFlags,
    url: { takes: 'URL', about: 'the endpoint of a hub, instead of a socket' },
  },
  examples: ['signalbox relay --session build', 'signalbox relay --url http://127.0.0.1:7420/mcp'],
  async run(args, context) {
    const { config } = await loadFor(args, context)
    const { stdin: input } = process
    const { write } = context
    const url = args.text('url')
    const [session, path, name] = [args.text('session'), args.text('socket'), args.text('name')]
    if ([url, session, path ?? name].filter((given) => given !== undefined).length > 1) {
      throw new CliError(
        'usage',
        '--url names a hub, and --session, --socket and --name name a session. Give only one of them.',
      )
    }
    if (url !== undefined) {
      const address = findHub(config, { url, tokenFile: args.text('token-file') })
      await bridgeHttp({ address, input, write, maxLineBytes: config.maxBodyBytes })
      return 'ok'
    }

    const isNamed = [session, path, name].some((given) => given !== undefined)
    const ofSession = session === undefined ? undefined : await socketOfSession(session, args, context)
    const wanted = isNamed ? { path: ofSession ?? path, name } : { path: config.mcpSocket, name: config.mcpSocketName }
    const { XDG_RUNTIME_DIR: runtimeDirectory } = await context.readEnvironment()
    const socket = await findSocket(wanted, socketPlaces({ home: config.home, runtimeDirectory }))
    if ((await bridgeSocket({ input, socket, write })) === 'input') return 'ok'
    throw new CliError(
      'unreachable',
      'The hub closed the connection: the session has ended, or the hub has stopped. See "signalbox ls".',
    )
  },
})
