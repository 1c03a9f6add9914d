import { expect, test } from 'vitest'
import { isHubTool, toOwnTools } from './own-tools.ts'

test.each([
  [
    'bash',
    { command: 'ls', description: 'Lists', workdir: 'src', timeout: 5 },
    { command: 'ls', cwd: '/project/src', agent_tool: 'bash', agent_arguments: { timeout: 5 } },
    'own_shell',
  ],
  ['read', { filePath: '/etc/hosts' }, { path: '/etc/hosts', agent_tool: 'read' }, 'own_read'],
  [
    'edit',
    { filePath: 'a.ts', oldString: 'a', newString: 'b' },
    { path: '/project/a.ts', agent_tool: 'edit', agent_arguments: { oldString: 'a', newString: 'b' } },
    'own_edit',
  ],
  ['webfetch', { url: 'https://a.example' }, { url: 'https://a.example/', agent_tool: 'webfetch' }, 'own_fetch'],
  ['grep', { pattern: 'x' }, { path: '/project', agent_tool: 'grep', agent_arguments: { pattern: 'x' } }, 'own_read'],
])('%s is judged in the words of the policy', (tool, args, expected, name) => {
  expect(toOwnTools(tool, args, '/project')).toEqual([{ tool: name, arguments: expected }])
})

test('a patch is judged once for each of its files', () => {
  const patchText = [
    '*** Begin Patch',
    '*** Update File: a.ts',
    '*** Move to: b.ts',
    '@@',
    '-*** Add File: no.ts',
    '*** Add File: c.ts',
    '+x',
    '*** Delete File: d.ts',
    '*** End Patch',
  ].join('\n')
  const judged = toOwnTools('apply_patch', { patchText }, '/project')
  expect(judged.map(({ tool, arguments: { path } }) => `${tool} ${String(path)}`)).toEqual([
    'own_edit /project/a.ts',
    'own_write /project/b.ts',
    'own_write /project/c.ts',
    'own_write /project/d.ts',
  ])
})

test('only tools of the server of the hub are left to the compositor', () => {
  const isLeft = (tool: string) => isHubTool(tool, ['terminal_read_screen', 'get.env'])
  expect(['signalbox_terminal_read_screen', 'signalbox_get_env'].every(isLeft)).toBe(true)
  expect(['signalbox_x_make', 'terminal_read_screen', 'github_search', 'bash'].some(isLeft)).toBe(false)
})

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

test('the description of a command is left out, but not an argument of that name of another tool', () => {
  const args = { title: 'bug', description: 'the text of it' }
  expect(toOwnTools('tracker_create', args, '/project')).toMatchObject([{ arguments: { agent_arguments: args } }])
  const [{ arguments: shell }] = toOwnTools('bash', { command: 'ls', description: 'Lists' }, '/project')
  expect(shell).not.toHaveProperty('agent_arguments')
})
