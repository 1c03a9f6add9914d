/** `signalbox mcp-config`: prints the settings for an MCP client. */
import { basename } from 'node:path'
import { nearest } from '../../base/nearest.ts'
import { socketNameOf } from '../../base/socket-places.ts'
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
    json: { about: 'print JSON: the text, and the file it belongs into' },
  },
  examples: [
    'signalbox mcp-config --session build --for claude',
    'signalbox mcp-config --url http://127.0.0.1:7420/mcp --for codex',
  ],
  async run(args, context) {
    const client = readClient(args.text('for'))
    const { name, server } = await findServer(args, context)
    const { text, place } = snippetFor(client, name, server)
    if (args.has('json')) {
      context.out(JSON.stringify({ text, place }, null, 2))
      return 'ok'
    }
    context.out(text)
    context.err(`Put this into ${place}.`)
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

async function findServer(args: McpConfigArguments, context: CliContext): Promise<{ name: string; server: McpServer }> {
  const [session, url] = [args.text('session'), args.text('url')]
  if ((session === undefined) === (url === undefined)) {
    throw new CliError('usage', 'Name a session with --session, or a hub with --url, but not both.')
  }
  const { config, sources } = await loadFor(args, context)
  if (session === undefined) {
    return { name: 'signalbox', server: { is: 'endpoint', url: findHub({ ...config, url }, {}).url } }
  }
  const found = await askHub('get_session', { name: session }, args, context)
  const socket = found['mcp_socket']
  const socketName = typeof socket === 'string' ? socketNameOf(basename(socket)) : undefined
  if (socketName === undefined) {
    throw new CliError(
      'failed',
      `The session "${session}" has ended and has no socket. "signalbox ls" lists the running sessions.`,
    )
  }
  // The client may be started later in another environment, so the data directory is written out.
  const isDefaultHome = sources.some(({ key, from }) => key === 'home' && from === 'default')
  const relay = ['relay', '--name', socketName, ...(isDefaultHome ? [] : ['--home', config.home])]
  return { name: `signalbox-${session}`, server: { is: 'program', command: signalboxProgram, args: relay } }
}
