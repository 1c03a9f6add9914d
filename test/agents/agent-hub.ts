/** A hub for a person who uses one agent or several: with their home, their workspace, and a scripted model. */
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Session } from '../../src/api/session.ts'
import { createHubClient } from '../../src/cli/hub-client/hub-client.ts'
import { until } from '../fixtures/until.ts'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { createTempHome } from '../harness/temp-home.ts'
import type { Agent } from './agents.ts'
import { agentPrograms, writeSettings } from './agents.ts'
import type { ScriptedModel } from './model/model.ts'
import { startScriptedModel } from './model/model.ts'

export interface AgentHub extends AsyncDisposable {
  readonly model: ScriptedModel
  /** The person's home. */
  readonly home: string
  readonly workspace: string
  /** The data directory of the hub. */
  readonly data: string
  /** The variables of the person, which the hub gets too. */
  readonly env: Readonly<Record<string, string>>
  /** The process that runs now. */
  readonly process: HubProcess
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  session(name: string): Promise<Session>
  screen(name: string): Promise<string>
  /** Accepts the selected choice in the agent's dialog. */
  acceptDialog(name: string): Promise<void>
  /** Kills the hub, does the work, and starts the hub again at the same address. */
  whileAway(work: () => Promise<void>): Promise<void>
}

type UsedAgent = Pick<Agent, 'settings' | 'environment' | 'asks'>

/** `settings`: variables of the hub. */
export async function startAgentHub(
  used: UsedAgent | readonly UsedAgent[],
  settings: Readonly<Record<string, string>> = {},
): Promise<AgentHub> {
  const agents = [used].flat()
  await using opened = new AsyncDisposableStack()
  const place = opened.use(await createTempHome())
  const [home, workspace, temporary] = ['home', 'work', 'tmp'].map((folder) => join(place.path, folder)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, workspace, temporary]) await mkdir(folder)
  const model = opened.use(await startScriptedModel())
  for (const agent of agents) writeSettings(home, agent, model.origin)
  const env = {
    HOME: home,
    // Codex does not trust a home inside the folder for temporary files.
    TMPDIR: temporary,
    // An agent that believes it runs in CI shows no screen.
    CI: 'false',
    CONTINUOUS_INTEGRATION: 'false',
    PATH: `${agentPrograms}${delimiter}${process.env['PATH']}`,
    LANG: 'C.UTF-8',
    ...Object.assign({}, ...agents.map((agent) => agent.environment(model.origin))),
  }
  const data = join(place.path, 'hub')
  const start = (port: number) =>
    startHubProcess({
      home: data,
      env: { ...env, SIGNALBOX_SHARED_MACHINE: 'no', ...settings, SIGNALBOX_PORT: String(port) },
    })
  let hub = await start(0)
  opened.defer(() => hub[Symbol.asyncDispose]())
  const { url, port, token } = hub
  const connect = () => createHubClient({ url, token, tokenFrom: 'its ready line' })
  let person = connect()
  opened.defer(() => person[Symbol.dispose]())
  const running = opened.move()
  const call: AgentHub['call'] = async (tool, args) => {
    const { isError, structured, text } = await person.callTool(tool, args, { timeoutMs: 120_000 })
    if (isError || !structured) throw new Error(`${tool} failed: ${text}`)
    return structured
  }
  const screen: AgentHub['screen'] = async (session) =>
    ((await call('read_screen', { session }))['lines'] as string[]).join('\n')
  return {
    model,
    home,
    workspace,
    data,
    env,
    get process() {
      return hub
    },
    call,
    session: async (name) => (await call('get_session', { name })) as unknown as Session,
    screen,
    async acceptDialog(session) {
      const asks = async () => {
        const shown = await screen(session)
        return agents.some((agent) => agent.asks.test(shown))
      }
      await until(asks)
      // An agent may ignore keys for a moment after its dialog appears. Enter in an empty prompt does nothing.
      while (await asks()) {
        await call('send_keys', { session, keys: 'Enter' })
        await setTimeout(500)
      }
    },
    async whileAway(work) {
      person[Symbol.dispose]()
      await hub.end('SIGKILL')
      await work()
      hub = await start(port)
      person = connect()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
