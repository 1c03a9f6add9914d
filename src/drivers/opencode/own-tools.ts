/** The tools that are built into opencode, in the words of the policy. */
import { resolve } from 'node:path'
import type { OwnTool } from '../../api/own-tools.ts'
import { ownToolName } from '../../api/own-tools.ts'
import { judgedUrl } from '../port/judged-url.ts'

/**
 * The compositor decides the calls of the hub's own tools. opencode puts the name of the server before their names, and
 * another server may be called `signalbox_x`. So a tool counts as the hub's only if the hub offers a tool of exactly
 * this name.
 */
export function isHubTool(tool: string, offered: readonly string[]): boolean {
  return offered.some((name) => tool === `signalbox_${name.replaceAll(/[^\w-]/g, '_')}`)
}

/** Several, if the call changes several files. */
export function toOwnTools(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  workspacePath: string,
): readonly [OwnTool, ...OwnTool[]] {
  // Only the description of a command is left out, because it would give each call another digest.
  const { description, ...others } = args
  const said = tool === 'bash' || description === undefined ? others : args
  const own = (name: string, common: Readonly<Record<string, unknown>>, used: readonly string[]): OwnTool => {
    const rest = Object.fromEntries(Object.entries(said).filter(([key]) => !used.includes(key)))
    const more = Object.keys(rest).length > 0 ? { agent_arguments: rest } : {}
    return { tool: name, arguments: { ...common, agent_tool: tool, ...more } }
  }
  const path = () => ({ path: resolve(workspacePath, textOf(args['filePath'])) })
  switch (tool) {
    case 'bash': {
      const cwd = resolve(workspacePath, textOf(args['workdir']))
      return [own('own_shell', { command: textOf(args['command']), cwd }, ['command', 'workdir'])]
    }
    case 'read':
      return [own('own_read', path(), ['filePath'])]
    // A rule that keeps the agent from reading a folder also keeps it from searching there.
    case 'grep':
    case 'glob':
    case 'list':
      return [own('own_read', { path: resolve(workspacePath, textOf(args['path'])) }, ['path'])]
    case 'edit':
    case 'multiedit':
      return [own('own_edit', path(), ['filePath'])]
    case 'write':
      return [own('own_write', path(), ['filePath'])]
    case 'apply_patch': {
      const changes = changesIn(textOf(args['patchText'])).map(({ name, file }) =>
        own(name, { path: resolve(workspacePath, file) }, []),
      )
      const [first = own('own_edit', { path: workspacePath }, []), ...others] = changes
      return [first, ...others]
    }
    case 'webfetch':
      return [own('own_fetch', { url: judgedUrl(textOf(args['url'])) }, ['url'])]
    case 'websearch':
    case 'codesearch':
      return [own('own_search', { query: textOf(args['query']) }, ['query'])]
    default:
      return [own(ownToolName(tool), {}, [])]
  }
}

/** Moving a file writes to its new path. */
function changesIn(patch: string): readonly { readonly name: string; readonly file: string }[] {
  return [...patch.matchAll(/^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm)].map(
    ([, how, file = '']) => ({ name: how === 'Update File' ? 'own_edit' : 'own_write', file: file.trim() }),
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
