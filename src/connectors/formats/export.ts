/** Writes connectors in the formats of other programs and in our own. */
import { stringify as toToml } from 'smol-toml'
import type { Connector } from '../../api/connector.ts'
import { defined } from '../../base/defined.ts'
import { referencesIn } from '../texts/references.ts'

export const exportFormats = ['json', 'claude', 'codex'] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface Export {
  readonly text: string
  readonly warnings: readonly string[]
}

export function exportConnectors(connectors: readonly Connector[], format: ExportFormat): Export {
  switch (format) {
    case 'json':
      return { text: json({ mcp_servers: byName(connectors, ({ name: _, ...fields }) => fields) }), warnings: [] }
    case 'claude':
      return {
        text: json({ mcpServers: byName(connectors, forClaude) }),
        warnings: connectors
          .filter(({ options }) => options.enabled_tools !== undefined || options.disabled_tools !== undefined)
          .map(({ name }) => `"${name}": Claude does not filter tools, so it offers all of them.`),
      }
    case 'codex': {
      const possible = connectors.filter(({ transport }) => transport !== 'sse')
      const left = connectors.filter(({ transport }) => transport === 'sse')
      return {
        text: toToml({ mcp_servers: byName(possible, forCodex) }).trimEnd(),
        warnings: [
          ...left.map(({ name }) => `"${name}" is left out: Codex has no SSE.`),
          ...possible
            .filter(hasInnerReference)
            .map(({ name }) => `"${name}": Codex does not fill in \${…} inside of a text.`),
          ...possible
            .filter(hasToolPattern)
            .map(({ name }) => `"${name}": Codex takes the * in the names of tools literally; write the names out.`),
        ],
      }
    }
  }
}

function byName(connectors: readonly Connector[], write: (connector: Connector) => object): Record<string, object> {
  return Object.fromEntries(connectors.map((connector) => [connector.name, defined(write(connector))]))
}

/** Leaves out our own options. Each format writes those that it knows by itself. */
function foreignOptions({ options }: Connector): Record<string, unknown> {
  const {
    env: _env,
    cwd: _cwd,
    era: _era,
    prefix: _prefix,
    shared: _shared,
    handshake_ms: _handshake,
    call_ms: _call,
    heartbeat_ms: _heartbeat,
    ...foreign
  } = options
  return foreign
}

function forClaude(connector: Connector): object {
  const { transport, cmd, args, base_url: url, headers, env_keys: keys, options } = connector
  const foreign = foreignOptions(connector)
  if (transport !== 'stdio') return { type: transport, url: places(url), headers, ...foreign }
  const env = { ...options.env, ...Object.fromEntries(keys.map((name) => [name, `\${${name}}`])) }
  return {
    type: 'stdio',
    command: cmd,
    args: args?.map(places),
    ...(Object.keys(env).length > 0 && { env }),
    ...foreign,
  }
}

/** Claude starts its servers in the project directory. */
function places<T extends string | undefined>(text: T): T {
  return text?.replaceAll('{workspace}', '${CLAUDE_PROJECT_DIR}') as T
}

function forCodex(connector: Connector): object {
  const { transport, cmd, args, base_url: url, headers = {}, env_keys: keys, options, enabled } = connector
  const common = {
    ...(!enabled && { enabled }),
    startup_timeout_sec: seconds(options.handshake_ms),
    tool_timeout_sec: seconds(options.call_ms),
    ...foreignOptions(connector),
  }
  if (transport === 'stdio') {
    const env = options.env && Object.keys(options.env).length > 0 ? options.env : undefined
    return { command: cmd, args, env_vars: keys.length > 0 ? keys : undefined, env, cwd: options.cwd, ...common }
  }
  const all = Object.entries(headers)
  const bearer = all.find(([name, text]) => name.toLowerCase() === 'authorization' && bearerVariable(text))
  const rest = all.filter((header) => header !== bearer)
  const referred = rest.flatMap(([name, text]) => (wholeReference(text) ? [[name, wholeReference(text)!]] : []))
  const written = rest.filter(([, text]) => wholeReference(text) === undefined)
  return {
    url,
    bearer_token_env_var: bearer && bearerVariable(bearer[1]),
    env_http_headers: referred.length > 0 ? Object.fromEntries(referred) : undefined,
    http_headers: written.length > 0 ? Object.fromEntries(written) : undefined,
    ...common,
  }
}

function bearerVariable(text: string): string | undefined {
  return /^Bearer \$\{([A-Za-z_]\w*)\}$/.exec(text)?.[1]
}

function wholeReference(text: string): string | undefined {
  return /^\$\{([A-Za-z_]\w*)\}$/.exec(text)?.[1]
}

function hasInnerReference({ args = [], base_url: url = '', headers = {}, options }: Connector): boolean {
  const texts = [...args, url, ...Object.values(options.env ?? {}), ...Object.values(headers)]
  return texts.some((text) => referencesIn(text).length > 0 && !wholeReference(text) && !bearerVariable(text))
}

function hasToolPattern({
  options: { enabled_tools: enabled = [], disabled_tools: disabled = [] },
}: Connector): boolean {
  return [...enabled, ...disabled].some((name) => name.includes('*'))
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}
