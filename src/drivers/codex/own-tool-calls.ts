/** Maps the requests of Codex to the own tools of the policy. */
import { lstatSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { z } from 'zod'
import type { OwnTool } from '../../api/own-tools.ts'
import { ownToolName } from '../../api/own-tools.ts'
import { agentId } from '../port/agent-id.ts'
import type { FileChange } from './thread-items.ts'
import { unwrapShell } from './unwrap-shell.ts'

/** A call, and whether Codex by its own default settings would have asked a person about it. */
export interface JudgedCall extends OwnTool {
  readonly agentAsks: boolean
}

export const commandRequest = z.object({
  kind: z.enum(['command', 'writeStdin']).default('command'),
  threadId: agentId,
  turnId: agentId,
  itemId: agentId,
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  reason: z.string().nullish(),
  networkApprovalContext: z.looseObject({ host: z.string(), port: z.number().optional() }).nullish(),
  additionalPermissions: z.unknown().optional(),
})
export type CommandRequest = z.output<typeof commandRequest>

/** `leavesSandbox`: the command is to run without the sandbox, or that is not known. */
export function callOfCommand(request: CommandRequest, leavesSandbox: boolean): JudgedCall {
  const { kind, command, cwd, reason, networkApprovalContext: network, additionalPermissions } = request
  const details = {
    ...(reason != null && reason !== '' && { justification: reason }),
    ...(additionalPermissions != null && { additional_permissions: additionalPermissions }),
    ...(leavesSandbox && { sandbox_permissions: 'require_escalated' }),
  }
  const rest = Object.keys(details).length > 0 ? { agent_arguments: details } : {}
  if (network) {
    const { host, port } = network
    return {
      tool: ownToolName('network'),
      arguments: { host, ...(port !== undefined && { port }), agent_tool: 'network', ...rest },
      agentAsks: true,
    }
  }
  const common = { command: unwrapShell(command ?? ''), ...(cwd != null && { cwd }) }
  if (kind === 'writeStdin') {
    return { tool: 'own_shell', arguments: { ...common, agent_tool: 'write_stdin', ...rest }, agentAsks: true }
  }
  return { tool: 'own_shell', arguments: { ...common, agent_tool: 'exec_command', ...rest }, agentAsks: leavesSandbox }
}

export const fileRequest = z.object({
  threadId: agentId,
  turnId: agentId,
  itemId: agentId,
  reason: z.string().nullish(),
  grantRoot: z.string().nullish(),
})

/** Each file is a call of its own, so that a rule about a path sees all of them. */
export function callsOfPatch(changes: readonly FileChange[], workspace: string): readonly JudgedCall[] {
  return changes.flatMap(({ path, kind, diff }) => {
    const file = resolve(workspace, path)
    const call = (tool: string, target: string, args: object): JudgedCall => ({
      tool,
      arguments: { path: target, ...args, agent_tool: 'apply_patch', agent_arguments: { kind: kind.type } },
      agentAsks: !isFree(target, workspace),
    })
    switch (kind.type) {
      case 'add':
        return [call('own_write', file, { content: diff })]
      case 'delete':
        return [call('own_edit', file, {})]
      case 'update': {
        const moved = kind.move_path == null ? [] : [call('own_write', resolve(workspace, kind.move_path), { diff })]
        return [call('own_edit', file, { diff }), ...moved]
      }
    }
  })
}

/**
 * With a patch, Codex may ask to write below a folder from then on. That is more than the patch, so no rule about files
 * allows it.
 */
export function callsOfGrant(root: string | null | undefined, workspace: string): readonly JudgedCall[] {
  if (root == null) return []
  const path = resolve(workspace, root)
  return [{ tool: ownToolName('grant_root'), arguments: { path, agent_tool: 'grant_root' }, agentAsks: true }]
}

/** Codex itself protects these folders of a workspace. */
const protectedFolders = /^\.(git|codex|agents)(\/|$)/

/** Whether Codex's sandbox would let the agent write this file without a question. Links count as their targets. */
function isFree(file: string, workspace: string): boolean {
  const inside = relative(realPath(workspace), realPath(file))
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside) && !protectedFolders.test(inside)
}

/** The real path of a file that may not exist yet. */
function realPath(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false })) {
    try {
      return realpathSync(file)
    } catch {
      // A dangling link: it is not known which file it would create.
      return '/'
    }
  }
  const parent = dirname(file)
  return parent === file ? file : join(realPath(parent), file.slice(parent.length))
}
