/**
 * A hub with sessions whose programs send messages without end, and one well-behaved session whose calls wait for a
 * person.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Approval } from '../../src/api/approval.ts'
import { until } from '../fixtures/until.ts'
import { compileCache } from '../harness/compile-cache.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import type { HubProcess } from './hub-process.ts'
import { startHubProcess } from './hub-process.ts'

export type Dialect = 'claude' | 'acp' | 'codex'

export interface FloodedHub extends AsyncDisposable {
  readonly home: string
  readonly hub: HubProcess
  call(tool: string, input: object): Promise<Readonly<Record<string, unknown>>>
  /** Starts a session whose program sends messages of this kind without end. */
  flood(name: string, dialect: Dialect, kind: string): Promise<void>
  /** How many messages the program has sent. */
  sentBy(name: string): Promise<number>
  /** A call of the well-behaved session that waits for a person. */
  nextApproval(): Promise<Approval>
  pendingOf(session: string): Promise<readonly Approval[]>
}

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url))
/** The name of the well-behaved session. */
export const quiet = 'quiet'

export async function openFloodedHub(
  env: Readonly<Record<string, string>> = {},
  nodeFlags: readonly string[] = [],
): Promise<FloodedHub> {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(await createTempHome())
  const home = join(place.path, 'hub')
  const notes = join(place.path, 'notes')
  writeFileSync(notes, '')
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 })
  const common = { mode: 'structured', command: process.execPath, env: compileCache }
  const templates = {
    claude: { agent: 'claude', driver: 'claude', args: [fixture('stream-json-agent'), notes, 'bare'] },
    acp: { agent: 'gemini', driver: 'acp', args: [fixture('acp-agent')] },
    codex: { agent: 'codex', driver: 'codex', args: [fixture('codex-app-server'), 'app-server'] },
  }
  for (const [name, template] of Object.entries(templates)) {
    writeFileSync(join(home, `templates/${name}.json`), JSON.stringify({ name, ...common, ...template }))
  }
  const hub = stack.use(await startHubProcess({ home, env, nodeFlags }))
  const call: FloodedHub['call'] = (tool, input) => callTool(hub, tool, { ...input })
  const pendingOf = async (session: string) =>
    (await call('list_approvals', { session, status: 'pending' }))['approvals'] as Approval[]

  await call('create_session', { name: quiet, template: 'claude' })
  let asked = 0
  const opened = stack.move()
  return {
    home,
    hub,
    call,
    pendingOf,
    async flood(name, dialect, kind) {
      await call('create_session', { name, template: dialect })
      const text = dialect === 'codex' ? `flood ${kind}` : `FLOOD ${kind}`
      await call('prompt_session', { session: name, text, wait: false })
    },
    async sentBy(name) {
      const { workspace_path: workspace } = await call('get_session', { name })
      return Number(await readFile(join(String(workspace), 'flood-count'), 'utf8').catch(() => 0))
    },
    async nextApproval() {
      const command = `ask ${++asked}`
      await call('prompt_session', { session: quiet, text: `RUN ${command}`, wait: false })
      return until(async () => (await pendingOf(quiet)).find((each) => each.arguments['command'] === command))
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
