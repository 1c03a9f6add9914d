/** The hub as `signalbox up` starts it, with the upstream as two connectors of one session and 100 rules in its policy. */
import { callTool } from '../../test/harness/modern-call.ts'
import { startHubProcess } from '../../test/worlds/hub-process.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import type { Target } from '../protocol/request-bytes.ts'
import { policyOf100Rules } from './policy-of-100-rules.ts'
import { stdioUpstream } from './start-program.ts'

export interface BenchHub extends AsyncDisposable {
  readonly pid: number
  /** The endpoint, with the token of the session's agent. */
  readonly agent: Target
  /** The endpoint, with the token of a person. */
  readonly person: Target
  /** The agent's name for the `echo` tool of the upstream over HTTP. */
  readonly tool: string
  /** The same over stdio. */
  readonly stdioTool: string
}

export async function startSignalbox(upstreamUrl: string): Promise<BenchHub> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const hub = stack.use(await startHubProcess({ home: home.path, env: { SHELL: '/bin/sh' } }))
  const session = 'bench'
  const [cmd, ...args] = stdioUpstream
  await callTool(hub, 'create_session', { name: session, template: 'shell', command: 'cat' })
  await callTool(hub, 'save_connector', { name: 'plain', transport: 'http', base_url: upstreamUrl })
  await callTool(hub, 'save_connector', { name: 'child', transport: 'stdio', cmd, args })
  await callTool(hub, 'bind_connector', { session, connector: 'plain', label: 'uphttp' })
  await callTool(hub, 'bind_connector', { session, connector: 'child', label: 'upstdio' })
  await callTool(hub, 'set_policy', { scope: 'hub', source: policyOf100Rules() })
  const { token } = await callTool(hub, 'issue_token', { role: 'agent', session })
  const opened = stack.move()
  return {
    pid: hub.process.pid!,
    agent: { port: hub.port, path: '/mcp', token: String(token) },
    person: { port: hub.port, path: '/mcp', token: hub.token },
    tool: 'uphttp_echo',
    stdioTool: 'upstdio_echo',
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
