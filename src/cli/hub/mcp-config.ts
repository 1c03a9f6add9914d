/** `signalbox mcp-config`: prints the settings for an MCP client. */
import { sessionSchema } from '../../api/session.ts'
import { nearest } from '../../base/nearest.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { Arguments, CliContext } from '../command/command.ts'
import { hubFlags, loadFor } from '../command/common-flags.ts'
import { findHub } from '../hub-client/hub-address.ts'
import { signalboxProgram } from '../../base/package-files.ts'
import { mcpClients, snippetFor } from './mcp-snippets.ts'
import type { McpClient, McpServer } from './mcp-snippets.ts'

type McpConfigArguments = Arguments<'session' | 'for' | keyof typeof hubFlags>

export const command = defineCommand({
  about: [
    'Prints the settings with which an MCP client can use Signalbox. With --session, the client gets the terminal tools of',
    'that session through "signalbox relay". With --url, it gets the endpoint of a hub, with a token that it reads from',
    'SIGNALBOX_TOKEN or asks for. The command never prints a token.',
  ].join('\n'),
  flags: {
    session: { takes: 'NAME', about: 'the session' },
    for: { takes: 'CLIENT', about: `the client: ${mcpClients.join(', ')}` },
    ...hubFlags,
    url: { takes: 'URL', about: 'the endpoint of a hub, instead of a session' },
    json: { about: 'print JSON: the text, the file it belongs into, and a warning if the server has no tools' },
  },
  examples: [
    'signalbox mcp-config --session build --for claude',
    'signalbox mcp-config --url http://127.0.0.1:7420/mcp --for codex',
  ],
  async run(args, context) {
    const client = readClient(args.text('for'))
    const { name, server, warning } = await findServer(args, context)
    const { text, place } = snippetFor(client, name, server)
    if (args.has('json')) {
      context.out(JSON.stringify({ text, place, ...(warning !== undefined && { warning }) }, null, 2))
      return 'ok'
    }
    context.out(text)
    context.err(`Put this into ${place}.`)
    if (warning !== undefined) context.err(warning)
    return 'ok'
  },
})

function readClient(given: string | undefined): McpClient {
  const client = mcpClients.find((each) => each === given)
  if (client) return client
  const meant = given === undefined ? undefined : nearest(given, mcpClients)
  const advice = meant ? `Did you mean ${meant}?` : `Choose one of ${mcpClients.join(', ')}.`
  throw new CliError('usage', `Name the client with --for. ${advice}`)
}

interface FoundServer {
  /** Its name in the client. */
  readonly name: string
  readonly server: McpServer
  readonly warning?: string
}

async function findServer(args: McpConfigArguments, context: CliContext): Promise<FoundServer> {
  const [session, url] = [args.text('session'), args.text('url')]
  if ((session === undefined) === (url === undefined)) {
    throw new CliError('usage', 'Name a session with --session, or a hub with --url, but not both.')
  }
  const { config, sources } = await loadFor(args, context)
  if (session === undefined) {
    return { name: 'signalbox', server: { is: 'endpoint', url: findHub({ ...config, url }, {}).url } }
  }
  const found = sessionPart.parse(await askHub('get_session', { name: session }, args, context))
  const { name } = found
  if (found.mcp_socket === undefined) {
    throw new CliError(
      'failed',
      `The session "${name}" has ended and has no socket. "signalbox ls" lists the running sessions.`,
    )
  }
  // The client may be started later in another environment, so the data directory is written out.
  const isDefaultHome = sources.some(({ key, from }) => key === 'home' && from === 'default')
  const relay = ['relay', '--session', name, ...(isDefaultHome ? [] : ['--home', config.home])]
  return {
    name: `signalbox-${name}`,
    server: { is: 'program', command: signalboxProgram, args: relay },
    ...(found.terminal_tools.length === 0 && { warning: noTools(name) }),
  }
}

const sessionPart = sessionSchema.pick({ name: true, mcp_socket: true, terminal_tools: true })

function noTools(session: string): string {
  const some = JSON.stringify({ name: session, tools: ['read_screen', 'send_text'] })
  return `The session "${session}" has no terminal tools switched on, so the client will see none. Switch some on: signalbox call update_session '${some}'`
}
