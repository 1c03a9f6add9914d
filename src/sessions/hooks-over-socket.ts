/**
 * Hooks of an agent that post to the port of the hub, as commands that use its socket. If the hub is down, another user
 * of the machine could take its port and allow everything. The socket belongs to the person.
 */
import { isRecord } from '../base/is-record.ts'

export interface HookPlace {
  readonly hooksUrl: string
  /** The command that runs `signalbox`. */
  readonly signalbox: string
}

export function hooksOverSocket<Value>(value: Value, place: HookPlace): Value {
  return convert(value, place) as Value
}

function convert(value: unknown, place: HookPlace): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, place))
  if (!isRecord(value)) return value
  const name = hookName(value, place.hooksUrl)
  if (name === undefined)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(item, place)]))
  const { url: _url, headers: _headers, allowedEnvVars: _variables, onFailure, ...rest } = value
  // In the words of Claude Code: exit code 2 blocks the call, every other one lets it go on.
  const otherwise = onFailure === 'block' ? 'exit 2' : 'true'
  return { ...rest, type: 'command', command: `"${place.signalbox}" hook ${name} || ${otherwise}` }
}

/** `undefined`: it is not a hook that posts to the hub. */
function hookName({ type, url }: Readonly<Record<string, unknown>>, hooksUrl: string): string | undefined {
  if (type !== 'http' || typeof url !== 'string') return undefined
  return url.startsWith(`${hooksUrl}/`) ? /^\w+$/.exec(url.slice(hooksUrl.length + 1))?.[0] : undefined
}
