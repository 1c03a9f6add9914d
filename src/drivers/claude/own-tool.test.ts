import { expect, test } from 'vitest'
import { isToolOfHub, toOwnTool } from './own-tool.ts'

const cwd = '/project'

test.each([
  ['Bash', { command: 'ls', description: 'lists' }, 'own_shell', { command: 'ls', cwd }],
  [
    'Edit',
    { file_path: '/project/a', old_string: 'x' },
    'own_edit',
    { path: '/project/a', agent_arguments: { old_string: 'x' } },
  ],
  ['MultiEdit', { file_path: '/project/a' }, 'own_edit', { path: '/project/a' }],
  ['NotebookEdit', { notebook_path: '/project/n' }, 'own_edit', { path: '/project/n' }],
  ['Write', { file_path: '/project/a', content: 'x' }, 'own_write', { path: '/project/a', content: 'x' }],
  ['Read', { file_path: '/etc/passwd', limit: 5 }, 'own_read', { path: '/etc/passwd', agent_arguments: { limit: 5 } }],
  ['Grep', { pattern: 'x' }, 'own_read', { path: '/project', agent_arguments: { pattern: 'x' } }],
  ['Glob', { pattern: '*', path: 'src' }, 'own_read', { path: '/project/src', agent_arguments: { pattern: '*' } }],
  [
    'WebFetch',
    { url: 'https://a.example', prompt: 'p' },
    'own_fetch',
    { url: 'https://a.example/', agent_arguments: { prompt: 'p' } },
  ],
  ['WebSearch', { query: 'q' }, 'own_search', { query: 'q' }],
  ['Task', { prompt: 'p' }, 'own_Task', { agent_arguments: { prompt: 'p' } }],
  ['mcp__other__do-it', {}, 'own_mcp__other__do_it', {}],
])('%s has a name and arguments of the policy', (name, input, tool, args) => {
  expect(toOwnTool({ name, input, cwd })).toEqual({ tool, arguments: { ...args, agent_tool: name } })
})

test('a path that climbs out of the folder is judged as the path it means', () => {
  const { arguments: args } = toOwnTool({ name: 'Read', input: { file_path: 'src/../../etc/passwd' }, cwd })
  expect(args).toMatchObject({ path: '/etc/passwd' })
})

test('only tools of the hub itself are the hub’s', () => {
  expect(['mcp__signalbox__terminal_read_screen', 'mcp__signalbox2__x', 'Bash'].map(isToolOfHub)).toEqual([
    true,
    false,
    false,
  ])
})
