/** Maps Gemini CLI's tools to the own tools of the policy. */
import { resolve } from 'node:path'
import type { OwnTool } from '../../api/own-tools.ts'
import { ownToolName } from '../../api/own-tools.ts'
import { judgedUrlsIn } from '../port/judged-url.ts'

export interface GeminiCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly cwd: string
}

const hubServer = 'signalbox'

/**
 * The compositor decides about the hub's own tools. `server`: the name that Gemini CLI gives for the tool of an MCP
 * server.
 */
export function isHubTool(server: string | undefined): boolean {
  return server === hubServer
}

/** A call may fetch several addresses: the policy judges each. */
export function toOwnTools(call: GeminiCall): readonly OwnTool[] {
  const { name, input, cwd } = call
  const text = (key: string) => (typeof input[key] === 'string' ? input[key] : '')
  const own = (tool: string, args: Readonly<Record<string, unknown>>, known: readonly string[]): OwnTool => ({
    tool,
    arguments: { ...args, agent_tool: name, ...restOf(input, known) },
  })
  const file = { path: resolve(cwd, text('file_path')) }
  const folder = { path: resolve(cwd, text('dir_path')) }
  switch (name) {
    case 'run_shell_command': {
      const shell = { command: text('command'), cwd: resolve(cwd, text('dir_path')) }
      return [own('own_shell', shell, ['command', 'dir_path', 'description'])]
    }
    case 'write_file':
      return [own('own_write', { ...file, content: text('content') }, ['file_path', 'content'])]
    case 'replace': {
      const change = { old_text: text('old_string'), new_text: text('new_string') }
      return [own('own_edit', { ...file, ...change }, ['file_path', 'old_string', 'new_string', 'instruction'])]
    }
    case 'read_file':
      return [own('own_read', file, ['file_path'])]
    // A rule that keeps the agent from reading a folder also keeps it from searching there.
    case 'list_directory':
    case 'grep_search':
    case 'glob':
      return [own('own_read', folder, ['dir_path'])]
    case 'web_fetch': {
      const urls = judgedUrlsIn(`${text('url')} ${text('prompt')}`)
      return (urls.length > 0 ? urls : ['']).map((url) => own('own_fetch', { url }, ['url']))
    }
    case 'google_web_search':
      return [own('own_search', { query: text('query') }, ['query'])]
    default:
      return [own(ownToolName(name), {}, [])]
  }
}

function restOf(
  input: GeminiCall['input'],
  known: readonly string[],
): { readonly agent_arguments?: Readonly<Record<string, unknown>> } {
  const rest = Object.entries(input).filter(([key]) => !known.includes(key))
  return rest.length === 0 ? {} : { agent_arguments: Object.fromEntries(rest) }
}
