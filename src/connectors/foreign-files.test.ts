import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { readForeignFiles } from './foreign-files.ts'

function write(root: string, path: string, content: unknown): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const servers = async (...args: Parameters<typeof readForeignFiles>) => {
  const { text } = await readForeignFiles(...args)
  return (JSON.parse(text) as { mcpServers: Record<string, unknown> }).mcpServers
}

test('for Claude, narrower scopes win over wider ones, and nothing but servers is read', async () => {
  const [home, project] = [temporaryDirectory(), temporaryDirectory()]
  const named = (command: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, { command }]))
  const own = write(home, '.claude.json', {
    oauthAccount: { emailAddress: 'me@example.org' },
    mcpServers: named('user', 'a', 'b', 'c'),
    projects: {
      [project]: { mcpServers: named('local', 'c'), history: ['x'] },
      '/other': { mcpServers: named('other', 'a', 'd') },
    },
  })
  const shared = write(project, '.mcp.json', { mcpServers: named('project', 'b', 'c') })
  const { text, paths } = await readForeignFiles('claude', { home, project })
  expect(paths).toEqual([own, shared])
  expect(text).not.toMatch(/example\.org|history/)
  expect(JSON.parse(text)).toMatchObject({
    mcpServers: { a: { command: 'user' }, b: { command: 'project' }, c: { command: 'local' }, d: { command: 'other' } },
  })
})

test('the files of Codex, Gemini, VS Code and Cursor are found', async () => {
  const [home, project] = [temporaryDirectory(), temporaryDirectory()]
  write(home, '.codex/config.toml', 'model = "x"\n[mcp_servers.a]\ncommand = "codex"\n')
  write(home, '.gemini/settings.json', { mcpServers: { a: { command: 'gemini' } } })
  write(
    project,
    '.vscode/mcp.json',
    '{ /* mine */ "inputs": [{ "id": "x" }], "servers": { "a": { "command": "vscode" }, }, }',
  )
  write(home, '.config/Code/User/mcp.json', { servers: { a: { command: 'user' }, b: { command: 'user' } } })
  write(home, '.cursor/mcp.json', { mcpServers: { a: { command: 'cursor' } } })
  const place = { home, project }
  expect(await servers('codex', place)).toEqual({ a: { command: 'codex' } })
  expect(await servers('gemini', place)).toEqual({ a: { command: 'gemini' } })
  expect(await servers('vscode', place)).toEqual({ a: { command: 'vscode' }, b: { command: 'user' } })
  expect((await readForeignFiles('vscode', place)).text).toContain('"inputs":[{"id":"x"}]')
  expect(await servers('cursor', place)).toEqual({ a: { command: 'cursor' } })
})

test('the files of opencode are found, with their tool filters', async () => {
  const [home, project] = [temporaryDirectory(), temporaryDirectory()]
  write(home, '.config/opencode/opencode.jsonc', { mcp: { a: { command: ['user'] }, b: { command: ['user'] } } })
  write(project, 'opencode.json', {
    model: 'x',
    mcp: { a: { command: ['project'] } },
    tools: { a_delete: false, b_write: false },
  })
  expect(await servers('opencode', { home, project })).toEqual({
    a: { command: ['project'], disabled_tools: ['delete'] },
    b: { command: ['user'], disabled_tools: ['write'] },
  })
})

test('the file of Claude Desktop is found on macOS and on Linux', async () => {
  const [mac, linux] = [temporaryDirectory(), temporaryDirectory()]
  write(mac, 'Library/Application Support/Claude/claude_desktop_config.json', { mcpServers: { a: { command: 'mac' } } })
  write(linux, '.config/Claude/claude_desktop_config.json', {
    globalShortcut: 'Ctrl+Space',
    mcpServers: { a: { command: 'linux' } },
  })
  expect(await servers('claude-desktop', { home: mac })).toEqual({ a: { command: 'mac' } })
  const { text } = await readForeignFiles('claude-desktop', { home: linux })
  expect(JSON.parse(text)).toEqual({ mcpServers: { a: { command: 'linux' } }, inputs: [] })
})

test('the settings of VS Code are read if they contain servers, and its own file for servers wins', async () => {
  const [home, project] = [temporaryDirectory(), temporaryDirectory()]
  write(
    home,
    '.config/Code/User/settings.json',
    `{ "editor.fontSize": 12, // mine
       "mcp": { "inputs": [{ "id": "x" }], "servers": { "a": { "command": "old" }, "b": { "command": "old" } } } }`,
  )
  const own = write(home, '.config/Code/User/mcp.json', { servers: { a: { command: 'new' } } })
  const place = { home, project }
  expect(await servers('vscode', place)).toEqual({ a: { command: 'new' }, b: { command: 'old' } })
  const { text } = await readForeignFiles('vscode', place)
  expect(text).toContain('"inputs":[{"id":"x"}]')
  expect(text).not.toContain('fontSize')
  write(project, '.vscode/settings.json', { 'mcp.servers': { b: { command: 'project' } } })
  expect(await servers('vscode', place)).toMatchObject({ b: { command: 'project' } })

  write(home, '.config/Code/User/settings.json', { 'editor.fontSize': 12 })
  expect((await readForeignFiles('vscode', { home })).paths).toEqual([own])
  const bare = temporaryDirectory()
  write(bare, '.config/Code/User/settings.json', { mcp: { servers: {} } })
  await expect(readForeignFiles('vscode', { home: bare })).rejects.toThrow('There is no file of vscode here')
})

test('the error for a missing or broken file names its path', async () => {
  const home = temporaryDirectory()
  await expect(readForeignFiles('codex', { home })).rejects.toThrow(`Looked for ${join(home, '.codex/config.toml')}.`)
  const path = write(home, '.cursor/mcp.json', '{"mcpServers": {"a": hunter2}}')
  const reading = readForeignFiles('cursor', { home })
  await expect(reading).rejects.toThrow(`${path} cannot be understood: it is not valid JSON at line 1`)
  await expect(readForeignFiles('cursor', { home })).rejects.not.toThrow('hunter2')
})

test('a pipe that an agent left in place of the file is refused, and the hub does not wait for it', async () => {
  const home = temporaryDirectory()
  mkdirSync(join(home, '.codex'))
  execFileSync('mkfifo', [join(home, '.codex/config.toml')])
  await expect(readForeignFiles('codex', { home })).rejects.toThrow('config.toml is not a file')
})
