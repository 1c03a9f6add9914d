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

test('Claude: of all projects, of the person, of the project, its own last; and nothing else of the file', async () => {
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

test('Codex, Gemini, VS Code and Cursor are found where they keep theirs', async () => {
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

test('no file, and one that is broken, are told by their path', async () => {
  const home = temporaryDirectory()
  await expect(readForeignFiles('codex', { home })).rejects.toThrow(`Looked for ${join(home, '.codex/config.toml')}.`)
  const path = write(home, '.cursor/mcp.json', '{"mcpServers": {"a": hunter2}}')
  const reading = readForeignFiles('cursor', { home })
  await expect(reading).rejects.toThrow(`${path} cannot be understood`)
  await expect(readForeignFiles('cursor', { home })).rejects.not.toThrow('hunter2')
})
