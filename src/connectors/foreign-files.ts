/** Reads the MCP servers from the files of other programs. Nothing else in those files is passed on. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { HubError, messageOf } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'
import { systemReason } from '../base/system-reason.ts'
import { parseJson } from './formats/json.ts'
import { mergeOpencode, opencodeServers } from './formats/opencode.ts'

export const foreignPrograms = ['claude', 'claude-desktop', 'codex', 'gemini', 'vscode', 'cursor', 'opencode'] as const
export type ForeignProgram = (typeof foreignPrograms)[number]

export interface ForeignFiles {
  /** JSON with the servers of all files. If two have the same name, the narrower scope wins. */
  readonly text: string
  readonly paths: readonly string[]
}

interface Place {
  readonly home: string
  /** The project whose files are read too. */
  readonly project?: string | undefined
}

type Json = Readonly<Record<string, unknown>>

/** From the widest scope to the narrowest. */
const files: Readonly<Record<ForeignProgram, (place: Place) => readonly string[]>> = {
  claude: ({ home, project }) => [join(home, '.claude.json'), ...within(project, '.mcp.json')],
  'claude-desktop': ({ home }) => inSettings(home, 'Claude/claude_desktop_config.json'),
  codex: ({ home, project }) => [join(home, '.codex/config.toml'), ...within(project, '.codex/config.toml')],
  gemini: ({ home, project }) => [join(home, '.gemini/settings.json'), ...within(project, '.gemini/settings.json')],
  vscode: ({ home, project }) => [
    // Older versions of VS Code kept the servers in the settings.
    ...inSettings(home, 'Code/User/settings.json'),
    ...inSettings(home, 'Code/User/mcp.json'),
    ...within(project, '.vscode/settings.json'),
    ...within(project, '.vscode/mcp.json'),
  ],
  cursor: ({ home, project }) => [join(home, '.cursor/mcp.json'), ...within(project, '.cursor/mcp.json')],
  opencode: ({ home, project }) => [
    ...bothNames(join(home, '.config/opencode/opencode')),
    ...within(project, '').flatMap((root) => bothNames(join(root, 'opencode'))),
    ...within(project, '').flatMap((root) => bothNames(join(root, '.opencode/opencode'))),
  ],
}

export async function readForeignFiles(program: ForeignProgram, place: Place): Promise<ForeignFiles> {
  const candidates = [...new Set(files[program](place))]
  const found = await Promise.all(candidates.map((path) => readIfThere(path)))
  const paths = candidates.filter((_, index) => found[index] !== undefined)
  const values = found.filter((value) => value !== undefined)
  if (values.length === 0) {
    throw new HubError(
      'not-found',
      `There is no file of ${program} here. Looked for ${candidates.join(', ')}. Name a file instead.`,
    )
  }
  const { project } = place
  const servers = [
    ...(program === 'opencode' ? [opencodeServers(mergeOpencode(values))] : []),
    ...values.flatMap((value) => sharedServers(value, project)),
    // Claude keeps the servers of one person for one project in the person's file.
    ...values.map((value) => mapIn(project === undefined ? undefined : projectsOf(value)[project], 'mcpServers')),
  ]
  const inputs = values.flatMap((value) => (Array.isArray(value['inputs']) ? (value['inputs'] as unknown[]) : []))
  return { text: JSON.stringify({ mcpServers: Object.assign({}, ...servers) as object, inputs }), paths }
}

/** On macOS and on Linux. */
function inSettings(home: string, path: string): readonly string[] {
  return [join(home, 'Library/Application Support', path), join(home, '.config', path)]
}

function bothNames(path: string): readonly string[] {
  return [`${path}.json`, `${path}.jsonc`]
}

function within(project: string | undefined, path: string): readonly string[] {
  return project === undefined ? [] : [join(project, path)]
}

/** An agent may have put a pipe there, which would never end. */
async function readText(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (!(await file.stat()).isFile()) throw new HubError('invalid', `${path} is not a file.`)
  return file.readFile('utf8')
}

async function readIfThere(path: string): Promise<Json | undefined> {
  const text = await readText(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    if (error instanceof HubError) throw error
    throw new HubError('unavailable', `${path} cannot be read: ${systemReason(error)}.`, { cause: error })
  })
  if (text === undefined) return undefined
  try {
    const value: unknown = path.endsWith('.toml') ? parseToml(text) : parseJson(text)
    if (!isRecord(value)) return {}
    return isVsCodeSettings.test(path) ? serversInSettings(value) : value
  } catch (error) {
    const [sentence] = messageOf(error).split('\n')
    throw new HubError('invalid', `${path} cannot be understood: ${sentence?.replace(/^"text": /, '')}`)
  }
}

const isVsCodeSettings = /(?:Code\/User|\.vscode)\/settings\.json$/

/** Most people have this file, but few have servers in it. */
function serversInSettings(settings: Json): Json | undefined {
  const { mcp = {} } = settings
  const servers = { ...mapIn(mcp, 'servers'), ...mapIn(settings, 'mcp.servers') }
  return Object.keys(servers).length === 0 ? undefined : { ...(isRecord(mcp) && mcp), servers }
}

/** Servers of other projects have the lowest precedence. */
function sharedServers(value: Json, project: string | undefined): readonly Json[] {
  const others = Object.entries(projectsOf(value)).filter(([path]) => path !== project)
  return [
    ...others.map(([, settings]) => mapIn(settings, 'mcpServers')),
    ...['mcp_servers', 'mcpServers', 'servers'].map((name) => mapIn(value, name)),
  ]
}

function projectsOf({ projects }: Json): Json {
  return isRecord(projects) ? projects : {}
}

function mapIn(value: unknown, name: string): Json {
  const inner = isRecord(value) ? value[name] : undefined
  return isRecord(inner) ? inner : {}
}
