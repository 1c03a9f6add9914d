/** `signalbox mcp-config`: what to write into the settings of an MCP client. */
import { basename } from 'node:path'
import { nearest } from '../base/nearest.ts'
import { socketNameOf } from '../base/socket-places.ts'
import { askHub } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { Arguments, CliContext } from './command.ts'
import { hubFlags, loadFor } from './common-flags.ts'
import { findHub } from './hub-address.ts'
import { binPath } from './installation.ts'
import { mcpClients, snippetFor } from './mcp-snippets.ts'
import type { McpClient, McpServer } from './mcp-snippets.ts'

type McpConfigArguments = Arguments<'session' | 'for' | keyof typeof hubFlags>

export const command = defineCommand({
  about: [
    'Prints what to write into the settings of an MCP client, so that it can use Signalbox: with --session the terminal',
    'tools of that session, by "signalbox relay"; with --url the endpoint of a hub, with the token that the client finds',
    'in SIGNALBOX_TOKEN or asks for. It never prints a token.',
  ].join('\n'),
  flags: {
    session: { takes: 'NAME', about: 'the session' },
    for: { takes: 'CLIENT', about: `whose settings: ${mcpClients.join(', ')}` },
    ...hubFlags,
    url: { takes: 'URL', about: 'the endpoint of a hub, in place of a session' },
    json: { about: 'print JSON: the text, and the place to put it' },
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
  const advice = meant ? `Did you mean ${meant}?` : `There are ${mcpClients.join(', ')}.`
  throw new CliError('usage', `Say with --for whose settings it is for. ${advice}`)
}

async function findServer(args: McpConfigArguments, context: CliContext): Promise<{ name: string; server: McpServer }> {
  const [session, url] = [args.text('session'), args.text('url')]
  if ((session === undefined) === (url === undefined)) {
    throw new CliError('usage', 'Say with --session which session it is for, or with --url which hub.')
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
      `The session "${session}" has no socket: it has ended. "signalbox ls" shows those that run.`,
    )
  }
  // Who starts the client later may have another environment than who asks now.
  const isUsualHome = sources.some(({ key, from }) => key === 'home' && from === 'default')
  const relay = ['relay', '--name', socketName, ...(isUsualHome ? [] : ['--home', config.home])]
  return { name: `signalbox-${session}`, server: { is: 'program', command: binPath, args: relay } }
}
