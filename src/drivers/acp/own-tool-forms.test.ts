import { expect, test } from 'vitest'
import type { KnownCall } from './own-tool.ts'
import { toOwnTools } from './own-tool.ts'

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

test('an address is found whatever its case, and judged as it is fetched', () => {
  const fetch = { ...call, name: 'web_fetch', kind: 'fetch', title: 'Read HTTPS://Evil.example/a' }
  expect(toOwnTools(fetch, '/project')).toMatchObject([{ arguments: { url: 'https://evil.example/a' } }])
})
