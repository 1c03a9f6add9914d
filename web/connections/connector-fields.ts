/** The settings of a connector as texts of a form, and back. */
import type { Connector, ConnectorOptions } from '../../src/api/connector.ts'

export interface ConnectorTexts {
  readonly name: string
  readonly transport: Connector['transport']
  readonly cmd: string
  /** One on each line. */
  readonly args: string
  readonly base_url: string
  /** `Name: value`, one on each line. */
  readonly headers: string
  /** Names, separated by spaces or commas. */
  readonly env_keys: string
  /** `NAME=value`, one on each line. */
  readonly env: string
  readonly cwd: string
  readonly enabled_tools: string
  readonly disabled_tools: string
  readonly shared: boolean
  readonly strict: boolean
}

export function textsOf(connector: Connector | undefined): ConnectorTexts {
  const { env, cwd = '', enabled_tools: enabled, disabled_tools: disabled, shared = false } = connector?.options ?? {}
  return {
    name: connector?.name ?? '',
    transport: connector?.transport ?? 'stdio',
    cmd: connector?.cmd ?? '',
    args: (connector?.args ?? []).join('\n'),
    base_url: connector?.base_url ?? '',
    headers: pairs(connector?.headers, ': '),
    env_keys: (connector?.env_keys ?? []).join(' '),
    env: pairs(env, '='),
    cwd,
    enabled_tools: (enabled ?? []).join(' '),
    disabled_tools: (disabled ?? []).join(' '),
    shared,
    strict: connector?.strict ?? true,
  }
}

/** Options that the form does not show stay as they were. */
export function connectorOf(texts: ConnectorTexts, before: Connector | undefined): Partial<Connector> {
  const isProgram = texts.transport === 'stdio'
  const env = readPairs(texts.env, '=')
  const headers = readPairs(texts.headers, ':')
  const enabled = words(texts.enabled_tools)
  const disabled = words(texts.disabled_tools)
  const cwd = texts.cwd.trim()
  const shown = ['env', 'cwd', 'enabled_tools', 'disabled_tools', 'shared']
  const kept = Object.fromEntries(Object.entries(before?.options ?? {}).filter(([name]) => !shown.includes(name)))
  const options: ConnectorOptions = {
    ...kept,
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== '' && { cwd }),
    ...(enabled.length > 0 && { enabled_tools: enabled }),
    ...(disabled.length > 0 && { disabled_tools: disabled }),
    ...(texts.shared && { shared: true }),
  }
  return {
    name: texts.name.trim(),
    transport: texts.transport,
    ...(isProgram && { cmd: texts.cmd.trim(), args: lines(texts.args) }),
    ...(!isProgram && { base_url: texts.base_url.trim() }),
    ...(!isProgram && Object.keys(headers).length > 0 && { headers }),
    env_keys: words(texts.env_keys),
    options,
    strict: texts.strict,
    enabled: before?.enabled ?? true,
  }
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

function pairs(map: Readonly<Record<string, string>> | undefined, between: string): string {
  return Object.entries(map ?? {})
    .map(([name, value]) => name + between + value)
    .join('\n')
}

function readPairs(text: string, between: string): Record<string, string> {
  return Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf(between)
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}
