/** The settings of each MCP client, in its own format. None of them contains a token. */

export const mcpClients = ['claude', 'codex', 'gemini', 'vscode', 'cursor', 'opencode'] as const
export type McpClient = (typeof mcpClients)[number]

/** The client reaches Signalbox through a program that it starts, or at the URL of the endpoint. */
export type McpServer =
  | { readonly is: 'program'; readonly command: string; readonly args: readonly string[] }
  | { readonly is: 'endpoint'; readonly url: string }

export interface Snippet {
  readonly text: string
  /** Completes "Put this into …". */
  readonly place: string
}

const tokenVariable = 'SIGNALBOX_TOKEN'

/** `name` is the name of the server in the client. */
export function snippetFor(client: McpClient, name: string, server: McpServer): Snippet {
  switch (client) {
    case 'claude':
      return { text: json({ mcpServers: { [name]: forClaude(server) } }), place: '.mcp.json of your project' }
    case 'codex':
      return { text: forCodex(name, server), place: '~/.codex/config.toml' }
    case 'gemini':
      return { text: json({ mcpServers: { [name]: forGemini(server) } }), place: '~/.gemini/settings.json' }
    case 'vscode':
      return { text: json(forVsCode(name, server)), place: '.vscode/mcp.json of your workspace' }
    case 'cursor':
      return { text: json({ mcpServers: { [name]: forCursor(server) } }), place: '.cursor/mcp.json of your project' }
    case 'opencode':
      return { text: json({ mcp: { [name]: forOpencode(server) } }), place: 'opencode.json of your project' }
  }
}

function forClaude(server: McpServer): object {
  if (server.is === 'program') return { type: 'stdio', command: server.command, args: server.args }
  return { type: 'http', url: server.url, headers: { Authorization: `Bearer \${${tokenVariable}}` } }
}

function forCodex(name: string, server: McpServer): string {
  // TOML and JSON write these strings in the same way.
  const rows =
    server.is === 'program'
      ? {
          command: JSON.stringify(server.command),
          args: `[${server.args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
        }
      : { url: JSON.stringify(server.url), bearer_token_env_var: JSON.stringify(tokenVariable) }
  return [`[mcp_servers.${name}]`, ...Object.entries(rows).map(([key, value]) => `${key} = ${value}`)].join('\n')
}

function forGemini(server: McpServer): object {
  if (server.is === 'program') return { command: server.command, args: server.args }
  return { httpUrl: server.url, headers: { Authorization: `Bearer $${tokenVariable}` } }
}

/** VS Code is rarely started from a shell with variables. So it asks once for the token and stores it safely. */
function forVsCode(name: string, server: McpServer): object {
  if (server.is === 'program') {
    return { servers: { [name]: { type: 'stdio', command: server.command, args: server.args } } }
  }
  const id = 'signalbox-token'
  return {
    inputs: [{ type: 'promptString', id, description: 'Token of the Signalbox hub', password: true }],
    servers: { [name]: { type: 'http', url: server.url, headers: { Authorization: `Bearer \${input:${id}}` } } },
  }
}

function forCursor(server: McpServer): object {
  if (server.is === 'program') return { command: server.command, args: server.args }
  return { url: server.url, headers: { Authorization: `Bearer \${env:${tokenVariable}}` } }
}

function forOpencode(server: McpServer): object {
  if (server.is === 'program') return { type: 'local', command: [server.command, ...server.args], enabled: true }
  // Without `oauth: false`, opencode tries to log in if the token is refused.
  const headers = { Authorization: `Bearer {env:${tokenVariable}}` }
  return { type: 'remote', url: server.url, headers, oauth: false, enabled: true }
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}
