/** The npm gateways, each with the fastest settings that its documentation offers. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../test/fixtures/ports.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import { httpCalls, openSseCalls, prepareLegacyCall, echoText } from './caller.ts'
import type { Contender } from './contenders.ts'
import { cpuMicrosOfTree } from './cpu-of-tree.ts'
import { type GatewayName, gateways, programOf } from './installed.ts'
import { startGateway, stdioUpstream, upstreamProgram } from './start-program.ts'

const echo = { name: 'echo', arguments: { text: echoText } }

type Start = (program: string, stack: AsyncDisposableStack, upstreamUrl: string) => Promise<Contender>

const starts: Readonly<Record<GatewayName, Start>> = {
  'mcp-proxy': (program, stack) =>
    startBridge('mcp-proxy', stack, (port) => {
      const options = ['--host', '127.0.0.1', '--port', port, '--server', 'stream', '--no-eventStore']
      return [program, ...options, '--', ...stdioUpstream]
    }),

  supergateway: (program, stack) =>
    startBridge('supergateway', stack, (port) => {
      const options = ['--outputTransport', 'streamableHttp', '--stateful', '--port', port, '--logLevel', 'none']
      return [program, '--stdio', stdioUpstream.join(' '), ...options]
    }),

  async 'mcp-hub'(program, stack, upstreamUrl) {
    const home = stack.use(await createTempHome())
    const config = join(home.path, 'servers.json')
    await writeFile(config, JSON.stringify({ mcpServers: { up: { url: upstreamUrl } } }))
    const target = { port: await freePort(), path: '/mcp' }
    const open = (id: number) => openSseCalls(target, id, { ...echo, name: 'up__echo' })
    const args = [program, '--port', String(target.port), '--config', config]
    const env = { HOME: home.path, XDG_STATE_HOME: home.path, XDG_CONFIG_HOME: home.path, XDG_DATA_HOME: home.path }
    const { pid } = stack.use(await startGateway(args, env, () => probe(open)))
    const does = 'aggregates; one HTTP upstream; SSE to the client; no policy, no record'
    return { name: title('mcp-hub'), does, expects: echoText, open, cpuMicros: () => cpuMicrosOfTree(pid) }
  },
}

/** Starts the installed ones. */
export async function startPeers(stack: AsyncDisposableStack, upstreamUrl: string): Promise<readonly Contender[]> {
  const started: Contender[] = []
  for (const name of Object.keys(gateways) as GatewayName[]) {
    const program = programOf(name)
    if (program === undefined)
      console.error(`signalbox: ${name} ${gateways[name]} is not installed, so it is left out.`)
    else started.push(await starts[name](program, stack, upstreamUrl))
  }
  return started
}

/** Bridges a stdio upstream to HTTP. It does not aggregate, name, decide or record anything. */
async function startBridge(
  name: GatewayName,
  stack: AsyncDisposableStack,
  args: (port: string) => readonly string[],
): Promise<Contender> {
  const target = { port: await freePort(), path: '/mcp' }
  const open = httpCalls(target.port, (id) => prepareLegacyCall(target, id, echo))
  const { pid } = stack.use(await startGateway(args(String(target.port)), {}, () => probe(open)))
  return {
    name: title(name),
    does: 'bridges one stdio upstream to HTTP; no policy, no record',
    expects: echoText,
    open,
    cpuMicros: () => cpuMicrosOfTree(pid, [upstreamProgram]),
  }
}

async function probe(open: Contender['open']): Promise<void> {
  const caller = await open(0)
  const answer = await caller.call()
  caller.close()
  if (!answer.includes(echoText)) throw new Error(`The call got the answer ${answer}`)
}

function title(name: GatewayName): string {
  return `${name} ${gateways[name]}`
}
