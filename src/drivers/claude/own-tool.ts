/** The tools that are built into Claude Code, in the words of the policy. */
import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import type { OwnTool } from '../../api/own-tools.ts'
import { ownToolName } from '../../api/own-tools.ts'
import { judgedUrl } from '../port/judged-url.ts'

export interface ClaudeCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** The folder that Claude Code works in at the moment. */
  readonly cwd: string
}

const hubServer = 'signalbox'
/** No other server can have such a tool: that would need a second "__", as in `mcp__signalbox__x__tool`. */
const clearlyOfHub = `mcp__${hubServer}__[^_]+(_[^_]+)*_?$`

/** Matches the tools that hooks have to ask about. It also matches tools of the hub whose names are ambiguous. */
export const askedMatcher = `^(?!${clearlyOfHub}).*$`

/**
 * The compositor decides about the tools of the hub itself. `server`: the server of the tool, if Claude Code names it.
 */
export function isToolOfHub(name: string, server: string | undefined): boolean {
  if (!name.startsWith(`mcp__${hubServer}__`)) return false
  return server === undefined ? new RegExp(`^${clearlyOfHub}`).test(name) : server === hubServer
}

/**
 * Glob and Grep read files and folders, so they are `own_read` too: a rule that keeps the agent from reading a folder
 * also keeps it from searching there. A relative path becomes absolute, because rules match paths as text.
 */
export function toOwnTool({ name, input, cwd }: ClaudeCall): OwnTool {
  // Texts that only describe a call would give each call another digest, so an approval would not be found again.
  const { description: _, ...described } = input
  const rest = name.startsWith('mcp__') ? input : described
  switch (name) {
    // Monitor runs a command in the background, and reports what it prints.
    case 'Bash':
    case 'Monitor':
    case 'PowerShell': {
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
    case 'Glob': {
      const { path, ...others } = rest
      return named('own_read', name, { path: searchedBy(text(rest['pattern']), within(cwd, path)) }, others)
    }
    case 'Grep': {
      const { path, ...others } = rest
      return named('own_read', name, { path: within(cwd, path) }, others)
    }
    case 'WebFetch': {
      const { url, ...others } = rest
      return named('own_fetch', name, { url: judgedUrl(text(url)) }, others)
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

/** As Claude Code reads a path. */
function within(cwd: string, path: unknown): string {
  const given = text(path).trim()
  return /^~(\/|$)/.test(given) ? resolve(homedir(), `.${given.slice(1)}`) : resolve(cwd, given)
}

/** A pattern may name another folder than the one to search in. */
function searchedBy(pattern: string, folder: string): string {
  const fixed = /^[^*?{[]*\//.exec(pattern)?.[0] ?? ''
  return isAbsolute(fixed) || fixed.split('/').includes('..') ? resolve(folder, fixed) : folder
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
