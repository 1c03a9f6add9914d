/**
 * What the conformance suite starts as the client under test, once for each scenario. The client is a hub that runs
 * already: its person binds the suite's server to a session, and the agent of that session does what the scenario names.
 */
import { callTool } from '../harness/modern-call.ts'
import { connectAgent } from './agent.ts'
import { playOf } from './plays.ts'

const scenario = variable('MCP_CONFORMANCE_SCENARIO')
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Readonly<Record<string, unknown>>
const hub = { url: variable('HUB_URL'), token: variable('HUB_TOKEN') }
const session = variable('HUB_SESSION')
const connector = scenario.replaceAll(/[^a-z0-9]/g, '').slice(-24)
const patienceMs = 20_000

// The suite ends the shell that it started us with, and not us.
setTimeout(() => process.exit(2), patienceMs).unref()
await callTool(hub, 'save_connector', { name: connector, transport: 'http', base_url: process.argv.at(-1) })
await callTool(hub, 'bind_connector', { session, connector, label: connector })
try {
  await using agent = await connectAgent({ url: hub.url, token: variable('HUB_AGENT_TOKEN') }, connector)
  await playOf(scenario)({ hub, session, connector, agent, context })
} finally {
  await callTool(hub, 'unbind_connector', { session, label: connector })
  await callTool(hub, 'delete_connector', { name: connector })
}

function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set.`)
  return value
}
