/**
 * opencode in a terminal, with its own server in the same process: people type into its interface, and the hub talks to
 * the server about the same conversation. A plugin asks the hub before a tool runs.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HubError } from '../../base/hub-error.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Driver, RunSpec } from '../port/driver.ts'
import { chooseServer, newProof, writeServerFile } from './server-file.ts'

export interface OpencodeDriverOptions {
  /** Runs it, with the companion for opencode. */
  readonly pty: Driver
  /** The path of the plugin that asks before a tool runs. */
  readonly plugin: string
  /** The path of the plugin that shows a dialog in the terminal. */
  readonly dialogPlugin: string
}

export function createOpencodeDriver({ pty, ...plugins }: OpencodeDriverOptions): Driver {
  return {
    name: 'opencode',
    abilities: { terminal: true, steer: true, interrupt: true, questions: true },
    async start(spec) {
      return pty.start({ ...spec, program: await withPlugins(spec, plugins) })
    },
    adopt: (session) => pty.adopt(session),
  }
}

/** In the mode `terminal` opencode has the plugin, but no server. */
async function withPlugins(
  spec: RunSpec,
  { plugin, dialogPlugin }: Omit<OpencodeDriverOptions, 'pty'>,
): Promise<RunSpec['program']> {
  const { program, directory, mode, workspacePath, conversation } = spec
  const server = mode === 'both' ? await chooseServer() : undefined
  const proof = newProof()
  writeServerFile(directory, {
    ...server,
    proof,
    opened: conversation ?? chosenIn(program.args),
    hasPlugin: false,
    conversations: [],
  })
  const dialogs = join(directory, 'opencode-tui.json')
  const sandbox = program.sandbox?.showing(dialogs)
  writeFileSync(dialogs, JSON.stringify({ plugin: [pathToFileURL(dialogPlugin).href] }), { mode: 0o600 })
  return {
    ...program,
    sandbox: server ? sandbox?.serving(server.port) : sandbox,
    args: server ? [...program.args, '--port', String(server.port), '--hostname', '127.0.0.1'] : program.args,
    env: {
      // The person's own file is not replaced. The terminal then shows no dialog, only a notice.
      OPENCODE_TUI_CONFIG: dialogs,
      ...program.env,
      // The plugin hides the proof and the password from the agent's shell.
      SIGNALBOX_HOOK_PROOF: proof,
      ...(server && { OPENCODE_SERVER_PASSWORD: server.password }),
      OPENCODE_CONFIG_CONTENT: configContent(program.env['OPENCODE_CONFIG_CONTENT'], plugin, workspacePath),
      // A file in the workspace could bring a plugin that removes this one, and the agent can write such a file.
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    },
  }
}

/** Without the project's configuration, opencode also ignores the instructions in the workspace unless they are named. */
function configContent(given: string | undefined, plugin: string, workspacePath: string): string {
  const config = parseConfig(given ?? '{}')
  const [plugins, instructions] = [config['plugin'], config['instructions']].map((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  ) as [unknown[], unknown[]]
  return JSON.stringify({
    ...config,
    plugin: [...plugins, pathToFileURL(plugin).href],
    instructions: [...instructions, join(workspacePath, 'AGENTS.md')],
  })
}

function parseConfig(text: string): Readonly<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(text)
    if (isRecord(config)) return config
  } catch {
    // The error below reports it.
  }
  throw new HubError('invalid', 'OPENCODE_CONFIG_CONTENT has to be a JSON object.')
}

/** The conversation that the person's own arguments choose. */
function chosenIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => /^(-s|--session)(=|$)/.test(arg))
  const flag = args[at]
  return flag?.includes('=') ? flag.slice(flag.indexOf('=') + 1) : at < 0 ? undefined : args[at + 1]
}
