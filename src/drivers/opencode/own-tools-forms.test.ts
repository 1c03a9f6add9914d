import { expect, test } from 'vitest'
import { toOwnTools } from './own-tools.ts'

test.each(['grep', 'glob', 'list'])('%s reads a folder, so a rule about reading covers it', (tool) => {
  expect(toOwnTools(tool, { pattern: 'KEY', path: '/secret' }, '/project')).toMatchObject([
    { tool: 'own_read', arguments: { path: '/secret' } },
  ])
  expect(toOwnTools(tool, { pattern: 'KEY' }, '/project')).toMatchObject([{ arguments: { path: '/project' } }])
})

test('an address is judged as it is fetched', () => {
  expect(toOwnTools('webfetch', { url: 'HTTPS://Evil.example' }, '/project')).toMatchObject([
    { arguments: { url: 'https://evil.example/' } },
  ])
})

test('what describes a command is left out, but not an argument of another tool with that name', () => {
  const args = { title: 'bug', description: 'the text of it' }
  expect(toOwnTools('tracker_create', args, '/project')).toMatchObject([{ arguments: { agent_arguments: args } }])
  const [{ arguments: shell }] = toOwnTools('bash', { command: 'ls', description: 'Lists' }, '/project')
  expect(shell).not.toHaveProperty('agent_arguments')
})
