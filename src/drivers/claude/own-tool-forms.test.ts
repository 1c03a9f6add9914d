import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toOwnTool } from './own-tool.ts'

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

test('what describes a command is left out, but not an argument of another tool with that name', () => {
  const input = { title: 'bug', description: 'the text of it' }
  expect(toOwnTool({ name: 'mcp__tracker__create', input, cwd: '/project' }).arguments).toEqual({
    agent_tool: 'mcp__tracker__create',
    agent_arguments: input,
  })
  const shell = { command: 'ls', description: 'Lists' }
  expect(toOwnTool({ name: 'Bash', input: shell, cwd: '/project' }).arguments).not.toHaveProperty('agent_arguments')
})
