import { expect, test } from 'vitest'
import type { KnownCall } from './own-tool.ts'
import { isAskedByDefault, isHubTool, learn, toOwnTools } from './own-tool.ts'

test.each([
  [
    'a command of Gemini CLI',
    {
      toolCallId: 'run_shell_command__1',
      kind: 'execute',
      title: 'make all',
      content: [{ type: 'content', content: { text: '[in lib] (Builds it)' } }],
    },
    [{ tool: 'own_shell', arguments: { command: 'make all', cwd: '/project/lib', agent_tool: 'run_shell_command' } }],
  ],
  [
    'a new file of Gemini CLI',
    {
      toolCallId: 'write_file__1',
      kind: 'edit',
      title: 'Writing to a.txt',
      content: [{ type: 'diff', path: '/project/a.txt', oldText: '', newText: 'hello' }],
      locations: [{ path: '/project/a.txt' }],
    },
    [
      {
        tool: 'own_write',
        arguments: { path: '/project/a.txt', old_text: '', new_text: 'hello', agent_tool: 'write_file' },
      },
    ],
  ],
  [
    'each address that Gemini CLI fetches',
    { toolCallId: 'web_fetch__1', kind: 'fetch', title: 'get http://a.example/x and http://b.example' },
    [
      { tool: 'own_fetch', arguments: { url: 'http://a.example/x', agent_tool: 'web_fetch' } },
      { tool: 'own_fetch', arguments: { url: 'http://b.example/', agent_tool: 'web_fetch' } },
    ],
  ],
  [
    'a file that opencode reads',
    { toolCallId: 'call_16efb370-481d', kind: 'read', title: 'read', rawInput: { filePath: 'a.txt', limit: 9 } },
    [{ tool: 'own_read', arguments: { path: '/project/a.txt', agent_tool: 'read', agent_arguments: { limit: 9 } } }],
  ],
  [
    'a tool without a common name',
    { toolCallId: 'call_1', kind: 'other', title: 'todowrite', rawInput: { todos: [] } },
    [{ tool: 'own_todowrite', arguments: { agent_tool: 'todowrite', agent_arguments: { todos: [] } } }],
  ],
])('the policy judges %s', (_, call, expected) => {
  expect(toOwnTools(learn(undefined, call), '/project')).toEqual(expected)
})

test.each(['execute', 'read', 'edit', 'search', 'fetch'])(
  'a call of the kind %s without a description cannot be judged',
  (kind) => {
    const call = learn(undefined, { toolCallId: 'call_1', kind, title: 'tool', rawInput: {} })
    expect(toOwnTools(call, '/project')).toEqual([])
  },
)

test('only a tool of the hub passes without a question, not a command that looks like one', () => {
  const named = (toolCallId: string, kind: string, title: string) =>
    isHubTool(learn(undefined, { toolCallId, kind, title }), ['hub_status', 'files_get__all'])
  expect(named('mcp_signalbox_hub_status__1', 'other', 'hub_status')).toBe(true)
  expect(named('call_1', 'other', 'signalbox_hub_status')).toBe(true)
  expect(named('call_1', 'execute', 'signalbox_hub_status')).toBe(false)
  expect(named('mcp_other_hub_status__1', 'other', 'hub_status')).toBe(false)
  expect(named('mcp_signalbox_files_get__all__1', 'other', 'get')).toBe(true)
  expect(named('mcp_signalbox_files_get__all__mcp_signalbox_files_get__all_17_1', 'other', 'get')).toBe(true)
})

test.each([
  ['mcp_signalbox_x_make__1', 'make'],
  ['mcp_signalbox__x_make__1', 'make'],
  ['mcp_signalbox_hub_status__make__1', 'make'],
  ['call_1', 'signalbox_x_make'],
])('a tool of a server whose name begins like that of the hub is judged: %s, %s', (toolCallId, title) => {
  const call = learn(undefined, { toolCallId, kind: 'other', title })
  expect(isHubTool(call, ['hub_status'])).toBe(false)
  expect(toOwnTools(call, '/project')).toMatchObject([{ tool: expect.stringMatching(/^own_.*make$/) }])
})

test('by default the agent asks about calls that change something, and not about reading', () => {
  const isAsked = (kind: string) => isAskedByDefault(learn(undefined, { toolCallId: 'call_1', kind }))
  expect(['execute', 'edit', 'delete', 'move', 'fetch', 'other'].every(isAsked)).toBe(true)
  expect(['read', 'search', 'think'].some(isAsked)).toBe(false)
})

const call: KnownCall = {
  id: '1',
  name: 'grep_search',
  kind: 'search',
  title: '',
  input: {},
  paths: [],
  notes: [],
  change: {},
}

test.each([
  [{ name: 'grep', input: { pattern: 'KEY', path: '/secret' } }, '/secret'],
  [{ name: 'glob', title: "'*.pem' within ../secret" }, '/secret'],
  [{ name: 'glob', title: "'*.pem'" }, '/project'],
])('a search in files is judged as reading their folder: %o', (said, path) => {
  expect(toOwnTools({ ...call, ...said }, '/project')).toMatchObject([{ tool: 'own_read', arguments: { path } }])
})

test.each([
  [{ input: { command: 'make', dir_path: '../secret' } }, '/secret'],
  [{ input: { command: 'make', workdir: 'src' } }, '/project/src'],
  [{ title: 'make', notes: ['[in ../secret] (builds it)'] }, '/secret'],
  [{ title: 'make', notes: ['[current working directory /project] (builds it)'] }, '/project'],
])('a command is judged with the folder in which it runs: %o', (said, cwd) => {
  const shell = { ...call, name: 'run_shell_command', kind: 'execute', ...said }
  expect(toOwnTools(shell, '/project')).toEqual([
    { tool: 'own_shell', arguments: { command: 'make', cwd, agent_tool: 'run_shell_command' } },
  ])
})

test('a search in a folder whose path was shortened cannot be judged', () => {
  expect(toOwnTools({ ...call, title: "'KEY' within very/.../deep" }, '/project')).toEqual([])
})

test('an address is found in any case, and judged as it is fetched', () => {
  const fetch = { ...call, name: 'web_fetch', kind: 'fetch', title: 'Read HTTPS://Evil.example/a' }
  expect(toOwnTools(fetch, '/project')).toMatchObject([{ arguments: { url: 'https://evil.example/a' } }])
})
