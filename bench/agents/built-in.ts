/**
 * The built-in agent and the AI SDK's own loop, each in a process that is warm, with the same tool, model and prompt. Only
 * the turn counts.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type AgentHub, startAgentHub } from '../../test/agents/agent-hub.ts'
import { type Figures, measure, promptOf, upstreamCommand } from './turn.ts'

export interface BuiltIn extends AsyncDisposable {
  readonly hub: AgentHub
  alone(): Promise<Figures>
  inSession(): Promise<Figures>
}

const loop = fileURLToPath(new URL('sdk-loop.ts', import.meta.url))

export async function openBuiltIn(): Promise<BuiltIn> {
  const hub = await startAgentHub({
    settings: () => ({}),
    environment: (model) => ({
      OPENAI_API_KEY: 'dummy-key',
      OPENAI_BASE_URL: `${model}/v1`,
      SIGNALBOX_MODEL: 'openai/scripted',
    }),
    asks: /never/,
  })
  const child = spawn(process.execPath, [loop, ...upstreamCommand(hub)], {
    env: { ...hub.env, NODE_ENV: 'production' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  let sessions = 0

  /** A new conversation for each round, as in the loop, without terminal tools, which the loop does not have either. */
  async function begin(): Promise<string> {
    const name = `built-in-${++sessions}`
    const connectors = [{ connector: 'counting', label: 'up' }]
    const policy = 'rules: [{ allow: "up_*" }]'
    await hub.call('create_session', { name, template: 'assistant', tools: [], connectors, policy })
    await hub.call('prompt_session', { session: name, text: 'FINAL ready' })
    return name
  }

  return {
    hub,
    alone: () =>
      measure(hub, async (watch) => {
        const family = watch(child.pid!)
        child.stdin.write(`${JSON.stringify(promptOf('Act-Now'))}\n`)
        await lines.next()
        family.stop()
      }),
    async inSession() {
      const name = await begin()
      const figures = await measure(hub, async (watch) => {
        const family = watch(hub.process.process.pid!)
        const turn = await hub.call('prompt_session', { session: name, text: promptOf('up_act_now') })
        family.stop()
        if (turn['status'] !== 'completed') throw new Error(`The turn ended as ${JSON.stringify(turn)}.`)
      })
      await hub.call('kill_session', { name })
      return figures
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await hub[Symbol.asyncDispose]()
    },
  }
}
