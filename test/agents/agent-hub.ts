/** A hub on a machine whose person uses one agent: their home, their workspace, and a model that does as it is told. */
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Session } from '../../src/api/session.ts'
import { connectToHub } from '../../src/cli/hub-client.ts'
import { startHubProcess } from '../harness/hub-process.ts'
import { createTempHome } from '../harness/temp-home.ts'
import type { Agent } from './agents.ts'
import { agentPrograms, writeSettings } from './agents.ts'
import type { ScriptedModel } from './model/model.ts'
import { startScriptedModel } from './model/model.ts'

export interface AgentHub extends AsyncDisposable {
  readonly model: ScriptedModel
  /** The person's. */
  readonly home: string
  readonly workspace: string
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  session(name: string): Promise<Session>
  screen(name: string): Promise<string>
}

export async function startAgentHub(agent: Agent): Promise<AgentHub> {
  await using opened = new AsyncDisposableStack()
  const place = opened.use(await createTempHome())
  const [home, workspace, temporary] = ['home', 'work', 'tmp'].map((folder) => join(place.path, folder)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, workspace, temporary]) await mkdir(folder)
  const model = opened.use(await startScriptedModel())
  writeSettings(home, agent, model.origin)
  const env = {
    HOME: home,
    // Codex mistrusts a home in the folder for temporary files.
    TMPDIR: temporary,
    // Agents that take themselves to be in CI show no screen.
    CI: 'false',
    CONTINUOUS_INTEGRATION: 'false',
    PATH: `${agentPrograms}${delimiter}${process.env['PATH']}`,
    LANG: 'C.UTF-8',
    ...agent.environment(model.origin),
  }
  const hub = opened.use(await startHubProcess({ home: join(place.path, 'hub'), env }))
  const { url, token } = hub
  const person = opened.use(await connectToHub({ url, token, tokenFrom: 'its ready line' }))
  const running = opened.move()
  const call: AgentHub['call'] = async (tool, args) => {
    const { isError, structured, text } = await person.callTool(tool, args, { timeoutMs: 120_000 })
    if (isError || !structured) throw new Error(`${tool} failed: ${text}`)
    return structured
  }
  return {
    model,
    home,
    workspace,
    call,
    session: async (name) => (await call('get_session', { name })) as unknown as Session,
    screen: async (session) => ((await call('read_screen', { session }))['lines'] as string[]).join('\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
