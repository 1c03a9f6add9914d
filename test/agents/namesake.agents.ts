/**
 * A person's own MCP server whose name begins like the hub's: its tools are judged as the agent's own, and those of the
 * hub are not asked about twice.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { SessionMode } from '../../src/api/session.ts'
import type { Frame } from '../../src/api/thread.ts'
import { until } from '../fixtures/until.ts'
import { startAgentHub } from './agent-hub.ts'
import type { Agent, AgentName } from './agents.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const script = fileURLToPath(new URL('../fixtures/namesake-server.js', import.meta.url))
const program = process.execPath

const policy = `
rules:
  - { deny: 'own_*makeit', reason: not this server }
  - { ask: 'own_*' }
  - { allow: 'hub_*' }
`

interface Namesake {
  readonly modes: readonly SessionMode[]
  /** The settings of the person, with such a server. */
  settings(agent: Agent, model: string, file: string): Readonly<Record<string, string | object>>
}

const withServer = (settings: unknown, more: object) => ({ ...(settings as object), ...more })
const namesakes: Readonly<Record<AgentName, Namesake>> = {
  claude: {
    // In its terminal, it does not offer the tools of this server.
    modes: ['structured'],
    settings(agent, model, file) {
      const { '.claude.json': config, ...others } = agent.settings(model)
      const mcpServers = { signalbox__x: { type: 'stdio', command: program, args: [script, file] } }
      return { ...others, '.claude.json': withServer(config, { mcpServers }) }
    },
  },
  codex: {
    modes: ['both', 'structured'],
    settings(agent, model, file) {
      const config = agent.settings(model)['.codex/config.toml'] as string
      const server = `\n[mcp_servers.signalbox__x]\ncommand = ${JSON.stringify(program)}\nargs = ${JSON.stringify([script, file])}\n`
      return { '.codex/config.toml': config + server }
    },
  },
  gemini: {
    modes: ['terminal', 'structured'],
    settings(agent, model, file) {
      const mcpServers = { signalbox_x: { command: program, args: [script, file] } }
      return { '.gemini/settings.json': withServer(agent.settings(model)['.gemini/settings.json'], { mcpServers }) }
    },
  },
  opencode: {
    modes: ['both', 'structured'],
    settings(agent, model, file) {
      const path = '.config/opencode/opencode.json'
      const mcp = { signalbox_x: { type: 'local', command: [program, script, file], enabled: true } }
      return { [path]: withServer(agent.settings(model)[path], { mcp }) }
    },
  },
}

for (const agent of agents) {
  const { modes, settings } = namesakes[agent.name]
  describeWith(agent, () => {
    for (const mode of modes) {
      test(`${mode}: a server named like the hub's is judged, the hub's own is not asked about twice`, async () => {
        const file = join(import.meta.dirname, '../../.cache', `namesake-${process.pid}-${agent.name}-${mode}`)
        await using hub = await startAgentHub({ ...agent, settings: (model) => settings(agent, model, file) })
        const name = 'agent'
        await hub.call('create_session', { name, template: agent.name, mode, working_dir: hub.workspace, policy })
        if (mode === 'both') await until(async () => (await hub.session(name)).governed?.is === 'yes')
        type Result = Frame & { readonly type: 'tool-result' }
        const frames = async () => {
          const thread = await hub.call('read_thread', { session: name }).catch(() => ({ events: [] }))
          return thread['events'] as readonly Frame[]
        }
        /** How the only tool call of a turn ended. */
        async function stageOf(call: string): Promise<Result['stage'] | undefined> {
          const turns = async () => (await frames()).filter(({ type }) => type === 'complete').length
          const before = await turns()
          const given = await hub.call('prompt_session', { session: name, text: `${call}\nFINAL went on`, wait: false })
          expect(given, JSON.stringify(given)).toMatchObject({ status: 'working' })
          await until(async () => (await turns()) > before)
          return (await frames()).findLast((frame): frame is Result => frame.type === 'tool-result')?.stage
        }
        expect(await stageOf('CALL hub_status {}')).toBe('success')
        expect(await stageOf('CALL makeit {}')).toBe('error')
        expect(existsSync(file)).toBe(false)
        expect(await hub.call('list_approvals', { session: name })).toMatchObject({ approvals: [] })
      })
    }
  })
}
