import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askedMatcher, isToolOfHub, toOwnTool } from './own-tool.ts'

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
])('%s is judged under a name and with arguments of the policy', (name, input, tool, args) => {
  expect(toOwnTool({ name, input, cwd })).toEqual({ tool, arguments: { ...args, agent_tool: name } })
})

test('a path that leaves the folder is judged as the path that it resolves to', () => {
  const { arguments: args } = toOwnTool({ name: 'Read', input: { file_path: 'src/../../etc/passwd' }, cwd })
  expect(args).toMatchObject({ path: '/etc/passwd' })
})

test.each([
  ['mcp__signalbox__terminal_read_screen', undefined, true],
  ['mcp__signalbox__files_get__all', 'signalbox', true],
  ['mcp__signalbox__x__make', 'signalbox__x', false],
  ['mcp__signalbox__x__make', undefined, false],
  ['mcp__signalbox___make', undefined, false],
  ['mcp__signalbox2__x', undefined, false],
  ['Bash', undefined, false],
])('%s of the server %s is the hub’s: %s', (name, server, isOfHub) => {
  expect(isToolOfHub(name, server)).toBe(isOfHub)
})

test.each([
  ['Bash', true],
  ['mcp__signalbox__x__make', true],
  ['mcp__signalbox___make', true],
  ['mcp__signalbox2__make', true],
  ['mcp__signalbox__terminal_read_screen', false],
])('a hook asks about %s: %s', async (name, isAsked) => {
  const template = await readFile(new URL('../../../templates/claude.json', import.meta.url), 'utf8')
  expect(template).toContain(JSON.stringify(askedMatcher))
  expect(new RegExp(askedMatcher).test(name)).toBe(isAsked)
})

test.each([
  ['Read', { file_path: '~/.ssh/id' }, join(homedir(), '.ssh/id')],
  ['Grep', { path: '~', pattern: 'KEY' }, homedir()],
  ['NotebookEdit', { notebook_path: ' /etc/x.ipynb' }, '/etc/x.ipynb'],
  ['Edit', { file_path: '../secret' }, '/secret'],
  ['Glob', { pattern: '/secret/**/*.pem' }, '/secret'],
  ['Glob', { pattern: '../secret/*', path: 'src' }, '/project/secret'],
  ['Glob', { pattern: 'src/**/*.ts' }, '/project'],
])('%s %o is judged by the path that Claude Code uses', (name, input, path) => {
  expect(toOwnTool({ name, input, cwd: '/project' }).arguments).toMatchObject({ path })
})

test.each(['Bash', 'Monitor', 'PowerShell'])('%s runs a command, so a rule about the shell covers it', (name) => {
  const input = { command: 'git push', description: 'Pushes', persistent: true }
  expect(toOwnTool({ name, input, cwd: '/project' })).toEqual({
    tool: 'own_shell',
    arguments: { command: 'git push', cwd: '/project', agent_tool: name, agent_arguments: { persistent: true } },
  })
})

test('an address is judged as it is fetched', () => {
  const { arguments: args } = toOwnTool({ name: 'WebFetch', input: { url: 'HTTPS://Evil.example' }, cwd: '/project' })
  expect(args).toMatchObject({ url: 'https://evil.example/' })
})

test('the description of a command is left out, but not an argument of that name of another tool', () => {
  const input = { title: 'bug', description: 'the text of it' }
  expect(toOwnTool({ name: 'mcp__tracker__create', input, cwd: '/project' }).arguments).toEqual({
    agent_tool: 'mcp__tracker__create',
    agent_arguments: input,
  })
  const shell = { command: 'ls', description: 'Lists' }
  expect(toOwnTool({ name: 'Bash', input: shell, cwd: '/project' }).arguments).not.toHaveProperty('agent_arguments')
})
