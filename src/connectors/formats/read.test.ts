import { describe, expect, test } from 'vitest'
import { HubError } from '../../base/hub-error.ts'
import { checkConnector } from '../check-connector.ts'
import { readConnectors } from './read.ts'

const fieldsOf = (text: string, options = {}) => readConnectors(text, options).drafts.map(({ fields }) => fields)

// In quadratic time these would take minutes, and the test would time out.
test.each([
  '\n'.repeat(500_000),
  'A= '.repeat(150_000),
  JSON.stringify({ mcpServers: { a: { command: 'x', args: ['${input:'.repeat(60_000), '${cwd:-'.repeat(60_000)] } } }),
  JSON.stringify({ mcpServers: { a: { command: 'x', args: [`\${workspaceFolder${':-'.repeat(200_000)}`] } } }),
])('reading half a megabyte of worst-case text %# ends', (text) => {
  try {
    readConnectors(text)
  } catch (error) {
    expect(error).toBeInstanceOf(HubError)
  }
})

describe('command lines', () => {
  test.each([
    ['claude mcp add files -- npx -y server-files /tmp', { cmd: 'npx', args: ['-y', 'server-files', '/tmp'] }],
    ['claude mcp add files npx server-files', { cmd: 'npx', args: ['server-files'] }],
    ['codex mcp add files --env MODE=fast -- npx server-files', { cmd: 'npx', options: { env: { MODE: 'fast' } } }],
    [
      'gemini mcp add -s user -e MODE=fast files python server.py --port 1',
      { cmd: 'python', args: ['server.py', '--port', '1'] },
    ],
    ['mcp add files --command npx --arg -y --arg server-files', { cmd: 'npx', args: ['-y', 'server-files'] }],
    ['$ mcp add files --command=npx --arg=-y', { cmd: 'npx', args: ['-y'] }],
    ['claude mcp add -e A=1 B=2 files -- npx x', { cmd: 'npx', options: { env: { A: '1', B: '2' } } }],
    [
      'MODE=x claude mcp add "files" -- sh -c \'echo "$HOME" && cat\'',
      { cmd: 'sh', args: ['-c', 'echo "$HOME" && cat'] },
    ],
    ['claude mcp add-json files \'{"command": "npx",\n "args": ["x"]}\'', { cmd: 'npx', args: ['x'] }],
    ['claude mcp add files \\\n  --env MODE=fast \\\n  -- npx x', { cmd: 'npx', args: ['x'] }],
  ])('a program is read from the line: %s', (line, expected) => {
    expect(fieldsOf(line)).toMatchObject([{ name: 'files', transport: 'stdio', ...expected }])
  })

  test.each([
    ['claude mcp add --transport http web https://example.org/mcp', { transport: 'http' }],
    ['claude mcp add -t sse web https://example.org/mcp', { transport: 'sse' }],
    ['claude mcp add web https://example.org/sse', { transport: 'sse' }],
    [
      'codex mcp add web --url https://example.org/mcp --bearer-token-env-var WEB_TOKEN',
      { headers: { Authorization: 'Bearer ${WEB_TOKEN}' } },
    ],
    [
      'claude mcp add --transport http web https://example.org/mcp --header "Authorization: Bearer $WEB_TOKEN"',
      { headers: { Authorization: 'Bearer ${WEB_TOKEN}' } },
    ],
    [
      "gemini mcp add -t http -H 'X-Key: ${KEY}' --trust --timeout 5000 web https://example.org/mcp",
      { headers: { 'X-Key': '${KEY}' }, options: { trust: true, call_ms: 5_000 } },
    ],
    [
      'mcp add web --transport streamable-http --url https://example.org/mcp --header X-A=b --disabled',
      { transport: 'http', headers: { 'X-A': 'b' }, enabled: false },
    ],
  ])('an address is read from the line: %s', (line, expected) => {
    const [fields] = fieldsOf(line)
    expect(fields).toMatchObject({ name: 'web', ...expected })
    expect(fields?.['base_url']).toMatch(/^https:\/\/example\.org\//)
  })

  test('several commands and removals are read, and other lines cause a warning', () => {
    const text = [
      '# my servers',
      'npm install -g secret-looking-thing --token abc',
      'claude mcp add one -- npx one; claude mcp add two https://example.org/mcp',
      'claude mcp remove --scope user old',
      'mcp rm older',
    ].join('\n')
    const { drafts, remove, warnings } = readConnectors(text)
    expect(drafts.map(({ name }) => name)).toEqual(['one', 'two'])
    expect(remove).toEqual(['old', 'older'])
    expect(warnings).toEqual(['The line that begins with "npm" is neither an "mcp add" nor an "mcp remove".'])
  })

  test('a line with an unknown flag is left out, and the warning does not repeat its value', () => {
    const { warnings, drafts } = readConnectors(
      'mcp add a -- x\nmcp add b --what hunter2 -- x\nmcp add c --env hunter2 -- x',
    )
    expect(drafts.map(({ name }) => name)).toEqual(['a'])
    expect(warnings).toEqual([
      '"mcp add b": the flag --what is not known here, so it was left out.',
      '"mcp add c": --env takes NAME=VALUE, so it was left out.',
    ])
  })
})

describe('JSON', () => {
  const server = { command: 'npx', args: ['x'] }
  test.each([
    { mcpServers: { one: server } },
    { mcp_servers: { one: server } },
    { servers: { one: server } },
    { mcp: { servers: { one: server } } },
    { 'mcp.servers': { one: server } },
    { one: server },
    { name: 'one', ...server },
    { mcpServers: [{ name: 'one', ...server }] },
    [{ name: 'one', ...server }],
    { targets: [{ id: 'one', transport: 'stdio', cmd: 'npx', args: ['x'] }] },
    { connectors: [{ name: 'one', ...server, upstream: { is: 'stopped' }, sessions: [] }] },
    { projects: { '/work': { mcpServers: { one: server } } }, userID: 'x' },
  ])('servers are found in JSON layout %#', (value) => {
    expect(fieldsOf(JSON.stringify(value))).toEqual([
      { name: 'one', transport: 'stdio', cmd: 'npx', args: ['x'], env_keys: [], options: {} },
    ])
  })

  test('comments and trailing commas are allowed, and other faults are reported with their position', () => {
    expect(fieldsOf('// mine\n{"servers": {/* x */ "one": {"command": "npx",},},}')).toHaveLength(1)
    expect(() => readConnectors('{"servers": {\n  "one": nonsense }}')).toThrow(
      'it is not valid JSON at line 2, column 10. Correct it there.',
    )
  })

  test('the field names of each program are understood', () => {
    const [gemini, claude, codex, cline] = fieldsOf(
      JSON.stringify({
        mcpServers: {
          Gemini: { httpUrl: 'https://example.org/mcp', timeout: 30_000, trust: true, headers: { A: '$KEY/${X}' } },
          claude_code: { type: 'sse', url: 'https://example.org/x', headers: { A: '${A:-b}' } },
          codex: {
            command: ['npx', '-y'],
            args: [1],
            env_vars: ['A', { name: 'B', source: 'local' }],
            cwd: '/x',
            startup_timeout_sec: 20,
          },
          cline: { command: 'npx', disabled: true, timeout: 60, autoApprove: ['a'] },
        },
      }),
      { hasBareVariables: true },
    )
    expect(gemini).toMatchObject({
      name: 'gemini',
      transport: 'http',
      headers: { A: '${KEY}/${X}' },
      options: { call_ms: 30_000, trust: true },
    })
    expect(claude).toMatchObject({ name: 'claude-code', transport: 'sse', headers: { A: '${A:-b}' } })
    expect(codex).toMatchObject({
      cmd: 'npx',
      args: ['-y', '1'],
      env_keys: ['A', 'B'],
      options: { cwd: '/x', handshake_ms: 20_000 },
    })
    expect(cline).toMatchObject({ enabled: false, options: { call_ms: 60_000, autoApprove: ['a'] } })
  })

  test.each([
    [
      'Codex',
      { enabled_tools: ['a', 'b'], disabled_tools: ['b'] },
      { enabled_tools: ['a', 'b'], disabled_tools: ['b'] },
    ],
    [
      'Gemini',
      { includeTools: ['a', 'run(ls)'], excludeTools: ['b'] },
      { enabled_tools: ['a', 'run'], disabled_tools: ['b'] },
    ],
    ['Windsurf, Kiro and Roo', { disabledTools: ['b'] }, { disabled_tools: ['b'] }],
    ['Copilot', { tools: ['a', 'b'] }, { enabled_tools: ['a', 'b'] }],
    ['Copilot, for all tools', { tools: ['*'] }, {}],
    ['a filter that leaves nothing', { includeTools: [] }, { enabled_tools: [] }],
  ])('the tool filter of %s is read', (_, filter, options) => {
    expect(fieldsOf(JSON.stringify({ mcpServers: { it: { command: 'x', ...filter } } }))).toMatchObject([{ options }])
    const [fields] = fieldsOf(JSON.stringify({ mcpServers: { it: { command: 'x', ...filter } } }))
    expect(fields?.['options']).toEqual(options)
  })

  test('the servers of opencode are read with their tool filters', () => {
    const text = JSON.stringify({
      $schema: 'https://opencode.ai/config.json',
      mcp: {
        github: {
          type: 'local',
          command: ['npx', '-y', 'gh'],
          environment: { TOKEN: '{env:GH}', MODE: 'x' },
          enabled: true,
        },
        'my.docs': { type: 'remote', url: 'https://example.org/mcp', headers: { A: 'Bearer {env:DOCS_TOKEN}' } },
        web: { type: 'local', command: ['web'] },
        other: { type: 'local', command: ['other'] },
      },
      tools: { bash: false, 'github_delete_*': false, 'my_docs*': false, my_docs_search: true, github_get: true },
      permission: { web_post: 'deny', web_get: 'ask', edit: 'deny' },
    })
    expect(fieldsOf(text)).toMatchObject([
      {
        name: 'github',
        transport: 'stdio',
        cmd: 'npx',
        args: ['-y', 'gh'],
        options: { env: { TOKEN: '${GH}', MODE: 'x' }, disabled_tools: ['delete_*'] },
      },
      {
        name: 'my-docs',
        transport: 'http',
        headers: { A: 'Bearer ${DOCS_TOKEN}' },
        options: { enabled_tools: ['search'] },
      },
      { name: 'web', options: { disabled_tools: ['post'] } },
      { name: 'other', options: {} },
    ])
  })

  test('a tool filter in an unknown form leaves the server out instead of offering all its tools', () => {
    const { drafts } = readConnectors(JSON.stringify({ mcpServers: { it: { command: 'x', includeTools: 'a,b' } } }))
    expect(() => checkConnector(drafts[0]?.fields)).toThrow('"options.enabled_tools"')
  })

  test('the references of VS Code become ours, and its questions become variables', () => {
    const { drafts, asked, warnings } = readConnectors(`{
      "inputs": [{ "id": "github-token", "type": "promptString", "description": "Your GitHub token", "password": true }],
      "servers": {
        "gh": {
          "type": "stdio", "command": "docker", "args": ["-v", "\${workspaceFolder}:/x", "\${input:path}", "\${userHome}\${/}y"],
          "env": { "TOKEN": "\${input:github-token}", "LANG": "\${env:LANG}", "SAME": "\${env:SAME}" },
          "envFile": "\${workspaceFolder}/.env"
        }
      }
    }`)
    expect(drafts[0]?.fields).toMatchObject({
      args: ['-v', '{workspace}:/x', '${GH_PATH}', '${HOME}/y'],
      env_keys: ['LANG', 'SAME'],
      options: { env: { TOKEN: '${GITHUB_TOKEN}' }, envFile: '{workspace}/.env' },
    })
    expect(asked).toEqual([
      { connector: 'gh', variable: 'GH_PATH', description: '' },
      { connector: 'gh', variable: 'GITHUB_TOKEN', description: 'Your GitHub token' },
    ])
    expect(warnings).toEqual([expect.stringContaining('envFile')])
  })

  test('an invalid name is changed, with a warning', () => {
    const { drafts, warnings } = readConnectors('{"My Files_v2": {"command": "x"}}')
    expect(drafts[0]?.name).toBe('my-files-v2')
    expect(warnings).toEqual(['"My Files_v2" is called "my-files-v2" here.'])
  })
})

describe('TOML', () => {
  test('the servers of Codex are read with all their settings', () => {
    const text = `
model = "gpt"
[mcp_servers.files]
command = "npx"
args = ["-y", "files"]
env_vars = ["FILES_TOKEN"]
startup_timeout_sec = 20
tool_timeout_sec = 90.5
enabled_tools = ["read"]
[mcp_servers.files.env]
MODE = "fast"
[mcp_servers.web]
url = "https://example.org/mcp"
bearer_token_env_var = "WEB_TOKEN"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Key" = "WEB_KEY" }
enabled = false
`
    expect(fieldsOf(text)).toEqual([
      {
        name: 'files',
        transport: 'stdio',
        cmd: 'npx',
        args: ['-y', 'files'],
        env_keys: ['FILES_TOKEN'],
        options: { env: { MODE: 'fast' }, handshake_ms: 20_000, call_ms: 90_500, enabled_tools: ['read'] },
      },
      {
        name: 'web',
        transport: 'http',
        base_url: 'https://example.org/mcp',
        env_keys: [],
        headers: { 'X-Region': 'eu', 'X-Key': '${WEB_KEY}', Authorization: 'Bearer ${WEB_TOKEN}' },
        enabled: false,
        options: {},
      },
    ])
  })

  test('a fault in TOML is reported with its position and without the lines around it', () => {
    const broken = '[mcp_servers.x]\ncommand = "a"\ntoken = hunter2\n'
    expect(() => readConnectors(broken)).toThrow(/not valid TOML: .* at line 3/)
    expect(() => readConnectors(broken)).not.toThrow('hunter2')
  })
})

test.each(['', 'hello there', '{}', '{"mcpServers": {}}', '[1, 2]', 'a = 1'])('%o contains no server', (text) => {
  expect(() => readConnectors(text)).toThrow('it')
})
