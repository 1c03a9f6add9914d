/** The stage of the pictures: a real hub in a home of its own, with the scripted model as the agent. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { startScriptedModel } from '../../test/agents/model/model.ts'
import { callTool } from '../../test/harness/modern-call.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import { type HubProcess, startHubProcess } from '../../test/worlds/hub-process.ts'
import { scripts } from './agent-scripts.ts'

export interface Stage extends AsyncDisposable {
  /** The home of the person whose hub it is. Its `bin` is in the PATH. */
  readonly home: string
  readonly hub: HubProcess
  readonly origin: string
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

const policy = `
default: allow
rules:
  - ask: terminal_send_text
    when: { properties: { text: { pattern: push } }, required: [text] }
    reason: pushes leave this machine
  - deny: terminal_send_text
    when: { properties: { text: { pattern: psql } }, required: [text] }
    reason: the production database is read by people
`

const assistant = {
  name: 'assistant',
  label: 'Assistant',
  command: 'bash',
  args: ['--norc', '--noprofile', '-i'],
  env: { PS1: '~/src/storefront $ ' },
  driver: 'model',
  mode: 'both',
  model: {},
  terminal_tools: ['read_screen', 'send_text', 'send_keys', 'wait_for', 'get_working_directory'],
  conversation: { resume: [] },
  activity: 'shell',
  policy,
}

/** `template` changes the template of the assistant. */
export async function startStage(template: (home: string) => object = () => ({})): Promise<Stage> {
  await using opening = new AsyncDisposableStack()
  const { path: home } = opening.use(await createTempHome())
  const model = opening.use(await startScriptedModel({ scripts }))
  const directory = join(home, '.signalbox')
  mkdirSync(join(directory, 'templates'), { recursive: true, mode: 0o700 })
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(directory, 'templates/assistant.json'), JSON.stringify({ ...assistant, ...template(home) }))
  const hub = opening.use(
    await startHubProcess({
      home: directory,
      env: {
        HOME: home,
        PATH: [join(home, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
        PS1: '$ ',
        GITHUB_TOKEN: 'only-in-the-pictures',
        LEDGER_URL: 'postgres://ledger.example/main',
        SIGNALBOX_MODEL: 'scripted',
        SIGNALBOX_MODEL_BASE_URL: `${model.origin}/v1`,
        SIGNALBOX_MODEL_API_KEY: 'none',
        SIGNALBOX_PUSH_PRIVATE_ENDPOINTS: 'on',
      },
    }),
  )
  const opened = opening.move()
  return {
    home,
    hub,
    origin: `http://127.0.0.1:${hub.port}`,
    call: (tool, args = {}) => callTool(hub, tool, args),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
