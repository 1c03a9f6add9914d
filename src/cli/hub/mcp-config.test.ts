import { expect, test } from 'vitest'
import { mcpClients, snippetFor } from './mcp-snippets.ts'
import type { McpServer } from './mcp-snippets.ts'

const program: McpServer = { is: 'program', command: '/opt/signal box/bin', args: ['relay', '--name', 'build'] }
const endpoint: McpServer = { is: 'endpoint', url: 'http://127.0.0.1:7420/mcp' }

test('writes the command of the relay in the format of each client', () => {
  const stdio = { type: 'stdio', command: '/opt/signal box/bin', args: ['relay', '--name', 'build'] }
  const { type: _, ...bare } = stdio
  expect(JSON.parse(snippetFor('claude', 'sb', program).text)).toEqual({ mcpServers: { sb: stdio } })
  expect(JSON.parse(snippetFor('gemini', 'sb', program).text)).toEqual({ mcpServers: { sb: bare } })
  expect(JSON.parse(snippetFor('vscode', 'sb', program).text)).toEqual({ servers: { sb: stdio } })
  expect(JSON.parse(snippetFor('cursor', 'sb', program).text)).toEqual({ mcpServers: { sb: bare } })
  expect(JSON.parse(snippetFor('opencode', 'sb', program).text)).toEqual({
    mcp: { sb: { type: 'local', command: [stdio.command, ...stdio.args], enabled: true } },
  })
  expect(snippetFor('codex', 'sb', program).text).toBe(
    ['[mcp_servers.sb]', 'command = "/opt/signal box/bin"', 'args = ["relay", "--name", "build"]'].join('\n'),
  )
})

test('writes no token: each client reads it from a variable or asks for it', () => {
  const { url } = endpoint
  expect(JSON.parse(snippetFor('claude', 'sb', endpoint).text)).toEqual({
    mcpServers: { sb: { type: 'http', url, headers: { Authorization: 'Bearer ${SIGNALBOX_TOKEN}' } } },
  })
  expect(JSON.parse(snippetFor('gemini', 'sb', endpoint).text)).toEqual({
    mcpServers: { sb: { httpUrl: url, headers: { Authorization: 'Bearer $SIGNALBOX_TOKEN' } } },
  })
  expect(JSON.parse(snippetFor('vscode', 'sb', endpoint).text)).toMatchObject({
    inputs: [{ id: 'signalbox-token', password: true }],
    servers: { sb: { type: 'http', url, headers: { Authorization: 'Bearer ${input:signalbox-token}' } } },
  })
  expect(JSON.parse(snippetFor('cursor', 'sb', endpoint).text)).toEqual({
    mcpServers: { sb: { url, headers: { Authorization: 'Bearer ${env:SIGNALBOX_TOKEN}' } } },
  })
  expect(JSON.parse(snippetFor('opencode', 'sb', endpoint).text)).toEqual({
    mcp: {
      sb: {
        type: 'remote',
        url,
        headers: { Authorization: 'Bearer {env:SIGNALBOX_TOKEN}' },
        oauth: false,
        enabled: true,
      },
    },
  })
  expect(snippetFor('codex', 'sb', endpoint).text).toBe(
    ['[mcp_servers.sb]', `url = "${url}"`, 'bearer_token_env_var = "SIGNALBOX_TOKEN"'].join('\n'),
  )
})

test.each(mcpClients)('names the settings file of %s', (client) => {
  expect(snippetFor(client, 'sb', program).place).toMatch(/json|toml/)
})
