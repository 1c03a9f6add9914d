/**
 * Converts the entry of an MCP server, in the format of any program, to the fields of a connector. Keys without a field
 * of ours stay in `options` under their own names, so that an export restores them.
 */
import { connectorName } from '../../api/connector.ts'
import { defined } from '../../base/defined.ts'
import { isRecord } from '../../base/is-record.ts'
import { toolLists } from './tool-lists.ts'

export interface Draft {
  readonly name: string
  /** Not yet valid: `checkConnector` decides. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

type Entry = Readonly<Record<string, unknown>>

export function toDraft(writtenName: string, entry: Entry): Draft {
  const left = new Map(Object.entries(entry).filter(([, value]) => value !== undefined && value !== null))
  const take = (...names: readonly string[]): unknown => {
    const found = names.find((name) => left.has(name))
    const value = found === undefined ? undefined : left.get(found)
    for (const name of names) left.delete(name)
    return value
  }

  const name = toConnectorName(writtenName)
  const renamed = name === writtenName ? [] : [`"${writtenName}" is called "${name}" here.`]
  const program = [take('command', 'cmd')].flat()
  const given = take('args')
  const args = [...program.slice(1), ...(Array.isArray(given) ? given : [])].map(String)
  const httpUrl = take('httpUrl')
  const url = httpUrl ?? take('url', 'serverUrl', 'base_url')
  left.delete('url')
  const asked = take('transport', 'type')
  const transport = transportOf(asked, { isHttp: httpUrl !== undefined, url, program: program[0] })
  const headers = headersOf(take)
  const env = take('env', 'environment')
  const enabled = take('enabled', 'is_enabled') ?? negated(take('disabled'))
  const fields = {
    name,
    kind: take('kind'),
    transport,
    base_url: transport === 'stdio' ? undefined : url,
    cmd: transport === 'stdio' ? program[0] : undefined,
    args: transport === 'stdio' && args.length > 0 ? args : undefined,
    env_keys: variableNames(take('env_keys'), take('env_vars')),
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    strict: take('strict'),
    enabled,
    // This must come last, because `options` gets all keys that remain.
    options: optionsOf(take, left, isRecord(env) ? texts(env) : undefined),
  }
  return { name, fields: defined(fields), warnings: [...renamed, ...warningsFor(name, entry)] }
}

/** Keeps lowercase letters and digits, and replaces everything else with "-". */
export function toConnectorName(text: string): string {
  if (connectorName.safeParse(text).success) return text
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
}

const transportNames: Readonly<Record<string, string>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  https: 'http',
  remote: 'http',
  'streamable-http': 'http',
  streamablehttp: 'http',
  'stream-http': 'http',
  sse: 'sse',
}

function transportOf(asked: unknown, guess: { isHttp: boolean; url: unknown; program: unknown }): unknown {
  if (typeof asked === 'string') return transportNames[asked.toLowerCase().replaceAll('_', '-')] ?? asked
  if (guess.isHttp) return 'http'
  if (typeof guess.url === 'string') return /\/sse\/?$/.test(guess.url.split(/[?#]/)[0]!) ? 'sse' : 'http'
  return guess.program === undefined ? undefined : 'stdio'
}

/** Codex names the variables of headers. Other programs write the headers out. */
function headersOf(take: (...names: readonly string[]) => unknown): Record<string, string> {
  const written = [take('headers'), take('http_headers')].map((part) => (isRecord(part) ? texts(part) : {}))
  const fromVariables = take('env_http_headers')
  const referred = isRecord(fromVariables)
    ? Object.entries(fromVariables).map(([header, variable]) => [header, `\${${String(variable)}}`] as const)
    : []
  const variable = take('bearer_token_env_var')
  const token = take('bearer_token', 'auth_token')
  const bearer = typeof variable === 'string' ? `\${${variable}}` : token
  return {
    ...written[0],
    ...written[1],
    ...Object.fromEntries(referred),
    ...(typeof bearer === 'string' && { Authorization: `Bearer ${bearer}` }),
  }
}

function optionsOf(
  take: (...names: readonly string[]) => unknown,
  left: ReadonlyMap<string, unknown>,
  env: Readonly<Record<string, string>> | undefined,
): Record<string, unknown> {
  const own = take('options')
  const cwd = take('cwd', 'workingDirectory')
  const filter = toolLists(take, left)
  const limits = {
    handshake_ms:
      milliseconds(left.get('startup_timeout_sec'), 1_000) ?? milliseconds(left.get('startup_timeout_ms'), 1),
    call_ms: milliseconds(left.get('tool_timeout_sec'), 1_000) ?? callTime(left.get('timeout')),
  }
  if (limits.handshake_ms !== undefined) take('startup_timeout_sec', 'startup_timeout_ms')
  if (limits.call_ms !== undefined) take('tool_timeout_sec', 'timeout')
  return {
    ...Object.fromEntries(left),
    ...(isRecord(own) ? own : {}),
    ...filter,
    ...defined({ ...limits, cwd, env: env && Object.keys(env).length > 0 ? env : undefined }),
  }
}

function milliseconds(value: unknown, unit: number): number | undefined {
  const ms = typeof value === 'number' ? Math.round(value * unit) : NaN
  return ms >= 100 && ms <= 600_000 ? ms : undefined
}

/** Some programs use milliseconds and some use seconds. A timeout of 60 milliseconds would make no sense. */
function callTime(value: unknown): number | undefined {
  return milliseconds(value, typeof value === 'number' && value < 1_000 ? 1_000 : 1)
}

function variableNames(...lists: readonly unknown[]): readonly string[] {
  const names = lists.flat().map((each) => (isRecord(each) ? each['name'] : each))
  return [...new Set(names.filter((name) => typeof name === 'string'))]
}

function texts(map: Entry): Record<string, string> {
  const plain = Object.entries(map).filter(([, value]) => typeof value !== 'object')
  return Object.fromEntries(plain.map(([key, value]) => [key, String(value)]))
}

function negated(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? !value : undefined
}

function warningsFor(name: string, entry: Entry): readonly string[] {
  return [
    ...('envFile' in entry
      ? [`"${name}": its envFile is not read here; set its variables in the environment of the hub.`]
      : []),
    ...('headersHelper' in entry ? [`"${name}": its headersHelper is not run here; write its headers out.`] : []),
  ]
}
