/** The tools that are built into Claude Code, in the words of the policy. */
import { resolve } from 'node:path'
import type { OwnTool } from '../../api/own-tools.ts'
import { ownToolName } from '../../api/own-tools.ts'

export interface ClaudeCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** The folder that it works in at the moment. */
  readonly cwd: string
}

/** The compositor decides about the tools of the hub itself. */
export function isToolOfHub(name: string): boolean {
  return name.startsWith('mcp__signalbox__')
}

/**
 * Glob and Grep read files and folders, so they are `own_read` too: a rule that keeps the agent from reading a folder
 * also keeps it from searching there. A relative path becomes absolute, because rules match paths as text.
 */
export function toOwnTool({ name, input, cwd }: ClaudeCall): OwnTool {
  // Texts that only describe a call would give each call another digest, and an approval could not be found again.
  const { description: _, ...rest } = input
  switch (name) {
    case 'Bash': {
      const { command, ...others } = rest
      return named('own_shell', name, { command: text(command), cwd }, others)
    }
    case 'Edit':
    case 'MultiEdit': {
      const { file_path: path, ...others } = rest
      return named('own_edit', name, { path: within(cwd, path) }, others)
    }
    case 'NotebookEdit': {
      const { notebook_path: path, ...others } = rest
      return named('own_edit', name, { path: within(cwd, path) }, others)
    }
    case 'Write': {
      const { file_path: path, content, ...others } = rest
      return named('own_write', name, { path: within(cwd, path), content: text(content) }, others)
    }
    case 'Read': {
      const { file_path: path, ...others } = rest
      return named('own_read', name, { path: within(cwd, path) }, others)
    }
    case 'Glob':
    case 'Grep': {
      const { path, ...others } = rest
      return named('own_read', name, { path: within(cwd, path) }, others)
    }
    case 'WebFetch': {
      const { url, ...others } = rest
      return named('own_fetch', name, { url: text(url) }, others)
    }
    case 'WebSearch': {
      const { query, ...others } = rest
      return named('own_search', name, { query: text(query) }, others)
    }
    default:
      return named(ownToolName(name), name, {}, rest)
  }
}

function named(
  tool: string,
  agentTool: string,
  common: Readonly<Record<string, unknown>>,
  others: Readonly<Record<string, unknown>>,
): OwnTool {
  return {
    tool,
    arguments: {
      ...common,
      agent_tool: agentTool,
      ...(Object.keys(others).length > 0 && { agent_arguments: others }),
    },
  }
}

function within(cwd: string, path: unknown): string {
  return resolve(cwd, text(path))
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
