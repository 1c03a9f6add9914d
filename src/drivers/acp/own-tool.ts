/** Maps a tool call of an agent to the own tools of the policy. */
import { resolve } from 'node:path'
import type { OwnTool } from '../../api/own-tools.ts'
import { ownToolName } from '../../api/own-tools.ts'
import { defined } from '../../base/defined.ts'
import { judgedUrlsIn } from '../port/judged-url.ts'
import type { ToolCall } from './wire.ts'
import { recordOf } from './wire.ts'

/** A tool call as far as the agent has described it. */
export interface KnownCall {
  readonly id: string
  /** The agent's own name for the tool. */
  readonly name: string
  readonly kind: string
  readonly title: string
  readonly input: Readonly<Record<string, unknown>>
  readonly paths: readonly string[]
  /** Texts that describe the call. */
  readonly notes: readonly string[]
  readonly change: Readonly<Record<string, unknown>>
}

/** The name by which agents know the hub as an MCP server. */
export const hubServer = 'signalbox'

const reading: readonly string[] = ['read', 'search', 'think']
const changing: readonly string[] = ['edit', 'delete', 'move']

/** False for calls that agents make without asking a person, unless they are told to ask about everything. */
export function isAskedByDefault({ kind }: KnownCall): boolean {
  return !reading.includes(kind)
}

/**
 * The compositor decides about the hub's own tools. Agents do not say which server a tool comes from, and another
 * server may be called `signalbox_x`. So a tool counts as the hub's only if the hub offers a tool of exactly this name.
 */
export function isHubTool({ name, kind }: KnownCall, offered: readonly string[]): boolean {
  return kind === 'other' && offered.some((tool) => name === nameInOpencode(tool) || name === nameInGemini(tool))
}

function nameInOpencode(tool: string): string {
  return `${hubServer}_${tool.replaceAll(/[^\w-]/g, '_')}`
}

/** Gemini CLI cuts a long name in the middle. */
function nameInGemini(tool: string): string {
  const name = `mcp_${hubServer}_${tool.replaceAll(/[^\w.:-]/g, '_')}`
  return name.length > 63 ? `${name.slice(0, 30)}...${name.slice(-30)}` : name
}

/** Adds an agent's new description of a call to its earlier ones. */
export function learn(known: KnownCall | undefined, call: ToolCall): KnownCall {
  const { toolCallId: id, title, kind, rawInput, locations, content } = call
  const notes = (content ?? []).flatMap((block) => block.content?.text ?? [])
  const diff = content?.find(({ type }) => type === 'diff')
  const paths = [...(locations ?? []).map(({ path }) => path), ...(diff?.path === undefined ? [] : [diff.path])]
  return {
    id,
    name: known?.name ?? nameOf(call),
    kind: kind ?? known?.kind ?? 'other',
    title: title ?? known?.title ?? '',
    input: { ...known?.input, ...rawInput },
    paths: paths.length > 0 ? [...new Set(paths)] : (known?.paths ?? []),
    notes: notes.length > 0 ? notes : (known?.notes ?? []),
    change: diff ? defined({ old_text: diff.oldText ?? undefined, new_text: diff.newText }) : (known?.change ?? {}),
  }
}

/** Gemini CLI puts the name before the id of the call. opencode gives it as the first title. */
function nameOf({ toolCallId, title, kind }: ToolCall): string {
  const inId = namesInIds.map((pattern) => pattern.exec(toolCallId)?.[1]).find((name) => name !== undefined)
  if (inId !== undefined) return inId
  if (title && /^[\w.-]+$/.test(title)) return title
  return kind ?? 'other'
}

/**
 * The forms of an id: the name, "__" and the model's own id, which may repeat the name; or the name and a time. The
 * name may contain "__" too.
 */
const namesInIds = [/^([A-Za-z][\w.:-]*)__\1_\d+_\d+$/, /^([A-Za-z][\w.:-]*)__/, /^([A-Za-z][\w.:-]*)-\d{13}/]

/** The parameters of a call, as the thread shows them. */
export function parametersOf(call: KnownCall): Readonly<Record<string, unknown>> {
  if (Object.keys(call.input).length > 0) return call.input
  if (call.kind === 'execute') return { command: call.title }
  if (call.paths.length > 0) return { path: call.paths[0], ...call.change }
  const [json] = call.notes.map(parsed)
  if (json) return json
  return call.title === '' ? {} : { title: call.title }
}

/**
 * A call may touch several files or addresses: the policy judges each. Empty: the agent has not said what the call is
 * about, so it cannot be judged.
 */
export function toOwnTools(call: KnownCall, workspace: string): readonly OwnTool[] {
  const { kind, name, input, notes } = call
  // The first title of opencode is only the name.
  const title = call.title === name ? '' : call.title
  const own = (tool: string, args: Readonly<Record<string, unknown>>, known: readonly string[] = []): OwnTool => ({
    tool,
    arguments: { ...args, agent_tool: name, ...restOf(call, known) },
  })
  const paths = pathsOf(call).map((path) => resolve(workspace, path))
  if (kind === 'execute') {
    const command = text(input['command']) ?? (Object.keys(input).length === 0 ? title : '')
    const cwd = folderInput.map((name) => text(input[name])).find((folder) => folder !== undefined)
    return command === ''
      ? []
      : [own('own_shell', { command, cwd: resolve(workspace, cwd ?? directoryIn(notes) ?? '') }, shellInput)]
  }
  if (changing.includes(kind)) {
    const tool = /^write/i.test(name) ? 'own_write' : 'own_edit'
    return paths.map((path) => own(tool, { path, ...call.change }, pathInput))
  }
  if (kind === 'read') return paths.map((path) => own('own_read', { path }, pathInput))
  if (kind === 'fetch') {
    const urls = text(input['url']) ?? [title, ...notes].join(' ')
    return judgedUrlsIn(urls).map((url) => own('own_fetch', { url }, ['url']))
  }
  // A rule that keeps the agent from reading a folder also keeps it from searching there.
  if (kind === 'search' && /^(grep|glob|list)/.test(name)) {
    const folder = paths[0] ?? folderIn(title)
    return folder === undefined ? [] : [own('own_read', { path: resolve(workspace, folder) }, ['path'])]
  }
  if (kind === 'search') {
    const query = text(input['pattern']) ?? text(input['query']) ?? title
    return query === '' ? [] : [own('own_search', { query }, ['pattern', 'query'])]
  }
  return [own(ownToolName(name), paths[0] === undefined ? {} : { path: paths[0] })]
}

const folderInput = ['cwd', 'workdir', 'dir_path']
const shellInput = ['command', ...folderInput, 'description']
const pathInput = ['filePath', 'filepath', 'file_path', 'path', 'diff']

function pathsOf({ paths, input }: KnownCall): readonly string[] {
  if (paths.length > 0) return paths
  return pathInput.flatMap((name) => (name === 'diff' ? [] : (text(input[name]) ?? []))).slice(0, 1)
}

function restOf(call: KnownCall, known: readonly string[]): { readonly agent_arguments?: Record<string, unknown> } {
  const given = known.length > 0 ? call.input : parametersOf(call)
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !known.includes(name)))
  return Object.keys(rest).length > 0 ? { agent_arguments: rest } : {}
}

/** Gemini CLI: "[current working directory /project] (why)" or "[in folder]". */
function directoryIn(notes: readonly string[]): string | undefined {
  for (const note of notes) {
    const found = /^\[(?:current working directory|in) ([^\]]+)\]/.exec(note)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

/** Gemini CLI: "'pattern' within folder". `undefined`: it has shortened the path, so the folder is not known. */
function folderIn(title: string): string | undefined {
  const folder = / within (.+)$/.exec(title)?.[1] ?? '.'
  return folder.includes('...') ? undefined : folder
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function parsed(note: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found = recordOf(JSON.parse(note))
    return Object.keys(found).length > 0 ? found : undefined
  } catch {
    return undefined
  }
}
