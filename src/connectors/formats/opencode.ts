/**
 * The MCP servers of opencode: a map under `mcp`. Its tool filters are apart from the servers, with patterns such as
 * `github_*` for `<server>_<tool>`: false in `tools`, or "deny" in `permission`.
 */
import { isRecord } from '../../base/is-record.ts'

type Json = Readonly<Record<string, unknown>>

export function opencodeServers({ mcp, tools, permission }: Json): Json {
  if (!isRecord(mcp)) return {}
  const servers = isRecord(mcp['servers']) ? mcp['servers'] : mcp
  const switched = [...switches(tools, true, false), ...switches(permission, 'allow', 'deny')]
  return Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => [
      name,
      isRecord(entry) ? { ...entry, ...filterFor(name, switched) } : entry,
    ]),
  )
}

/** A filter in one file may be about a server in another. Later files win. */
export function mergeOpencode(files: readonly Json[]): Json {
  const merged = (field: string) => Object.assign({}, ...files.map((file) => file[field])) as object
  return { mcp: merged('mcp'), tools: merged('tools'), permission: merged('permission') }
}

interface Switch {
  readonly pattern: string
  readonly isOn: boolean
}

function switches(map: unknown, on: unknown, off: unknown): readonly Switch[] {
  return Object.entries(isRecord(map) ? map : {}).flatMap(([pattern, value]) =>
    value === on || value === off ? [{ pattern, isOn: value === on }] : [],
  )
}

function filterFor(server: string, switched: readonly Switch[]): Json {
  const own = switched.map(({ pattern, isOn }) => ({ pattern: withoutServer(pattern, server), isOn }))
  const patterns = (isOn: boolean) => own.flatMap((each) => (each.isOn === isOn ? (each.pattern ?? []) : []))
  const [on, off] = [patterns(true), patterns(false)]
  if (off.length === 0) return {}
  // All tools are off, except those that are listed as on.
  if (off.includes('*') && on.length > 0) return { enabled_tools: on }
  return { disabled_tools: off }
}

/** The part of a pattern that is about the tools of this server. `undefined`: it is about others. */
function withoutServer(pattern: string, server: string): string | undefined {
  const prefix = `${server.replaceAll(/[^\w-]/g, '_')}_`
  if (pattern.startsWith(prefix)) return pattern.slice(prefix.length)
  return pattern.endsWith('*') && prefix.startsWith(pattern.slice(0, -1)) ? '*' : undefined
}
