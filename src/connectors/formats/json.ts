/**
 * Reads the JSON of Claude, Gemini, VS Code, Cursor, opencode and others: a map of servers under one of several names. Comments
 * are allowed.
 */
import type { ParseError } from 'jsonc-parser'
import { parse } from 'jsonc-parser'
import { HubError } from '../../base/hub-error.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Found } from './found.ts'
import { opencodeServers } from './opencode.ts'

type Entries = Found['entries']
type Json = Readonly<Record<string, unknown>>

export function readJson(text: string): Found {
  const value = parseJson(text)
  if (Array.isArray(value)) return { entries: fromList(value) }
  if (!isRecord(value)) return { entries: [] }
  return { entries: entriesOf(value), inputs: inputsOf(value['inputs']) }
}

export function entriesOf(value: Json): Entries {
  const inMcp = fromMap(opencodeServers(value))
  const containers = [
    inMcp.length > 0 ? Object.fromEntries(inMcp) : undefined,
    ...['mcp.servers', 'mcp_servers', 'mcpServers', 'servers', 'connectors'].map((name) => value[name]),
    value['targets'],
    ...projectsOf(value),
  ].filter((container) => container !== undefined)
  if (containers.length > 0) return containers.flatMap(fromContainer)
  if (typeof value['name'] === 'string' && isServer(value)) return fromList([value])
  return fromMap(value)
}

function fromContainer(container: unknown): Entries {
  if (Array.isArray(container)) return fromList(container)
  return isRecord(container) ? fromMap(container) : []
}

function fromMap(map: Json): Entries {
  return Object.entries(map).flatMap(([name, entry]) => (isRecord(entry) && isServer(entry) ? [[name, entry]] : []))
}

/** The legacy map uses `id` for the name. Fields that describe only the current state are not part of a connector. */
function fromList(list: readonly unknown[]): Entries {
  return list.filter(isRecord).flatMap((each): Entries => {
    const { name, id, upstream: _upstream, sessions: _sessions, ...entry } = each
    const called = typeof name === 'string' ? name : id
    return typeof called === 'string' && isServer(entry) ? [[called, entry]] : []
  })
}

function isServer(entry: Json): boolean {
  return ['command', 'cmd', 'url', 'httpUrl', 'serverUrl', 'base_url'].some((name) => name in entry)
}

/** Claude keeps the servers of single projects next to the global ones. */
function projectsOf(value: Json): readonly unknown[] {
  const projects = isRecord(value['projects']) ? Object.values(value['projects']) : []
  return projects.flatMap((project) =>
    isRecord(project) && isRecord(project['mcpServers']) ? [project['mcpServers']] : [],
  )
}

function inputsOf(inputs: unknown): ReadonlyMap<string, string> {
  const list = Array.isArray(inputs) ? inputs.filter(isRecord) : []
  return new Map(list.map(({ id, description }) => [String(id), typeof description === 'string' ? description : '']))
}

export function parseJson(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (!first) return value
  const before = text.slice(0, first.offset).split('\n')
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
  throw new HubError('invalid', `"text": it is not valid JSON at ${place}. Correct it there.`)
}
