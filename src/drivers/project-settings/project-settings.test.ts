import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { cpuMs } from '../../base/cpu-ms.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import type { AgentName } from '../../api/template.ts'
import type { ProjectSetting } from './project-rules.ts'
import { findProjectSettings } from './project-settings.ts'

type Files = Readonly<Record<string, string | object>>

/** Files are relative to the root of a repository. */
function repository(files: Files, { hasGit = true } = {}): string {
  const root = temporaryDirectory()
  if (hasGit) mkdirSync(join(root, '.git'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return root
}

const find = (agent: AgentName, workspace: string, ownFiles: Readonly<Record<string, string>> = {}) =>
  findProjectSettings({ agent, workspace, ownFiles: new Map(Object.entries(ownFiles)) })

const words = (found: readonly ProjectSetting[]) => found.map(({ file, kinds }) => `${file}: ${kinds.join(' ')}`)

const hooks = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } }

test.each<[AgentName, Files, string]>([
  ['claude', { '.claude/settings.json': hooks }, '.claude/settings.json: hooks'],
  ['claude', { '.claude/settings.local.json': { env: { PATH: '.' } } }, '.claude/settings.local.json: environment'],
  ['claude', { '.claude/settings.json': { allowedHttpHookUrls: [] } }, '.claude/settings.json: hooks'],
  ['claude', { '.claude/settings.json': { apiKeyHelper: './x' } }, '.claude/settings.json: helpers'],
  ['claude', { '.claude/settings.json': { statusLine: { command: 'x' } } }, '.claude/settings.json: helpers'],
  ['claude', { '.claude/settings.json': { permissions: { allow: ['Bash'] } } }, '.claude/settings.json: permissions'],
  ['claude', { '.claude/settings.json': { enabledPlugins: { a: true } } }, '.claude/settings.json: plugins'],
  ['claude', { '.claude/settings.json': { inventedLater: 1 } }, '.claude/settings.json: other'],
  ['claude', { '.claude/settings.json': '{' }, '.claude/settings.json: unreadable'],
  ['claude', { '.claude/settings.json': 'null' }, '.claude/settings.json: unreadable'],
  ['claude', { '.mcp.json': { mcpServers: { a: { command: 'x' } } } }, '.mcp.json: servers'],
  ['claude', { '.claude/agents/a.md': '---\nname: a\nhooks:\n  x\n---\n' }, '.claude/agents/a.md: hooks'],
  ['claude', { '.claude/commands/x/a.md': 'Status: !`git status`' }, '.claude/commands/x/a.md: commands'],
  [
    'claude',
    { '.claude/skills/a/SKILL.md': '---\nallowed-tools: Bash\n---\n' },
    '.claude/skills/a/SKILL.md: permissions',
  ],
  [
    'claude',
    { '.claude/skills/a/.claude-plugin/plugin.json': {} },
    '.claude/skills/a/.claude-plugin/plugin.json: plugins',
  ],
  ['codex', { '.codex/config.toml': '[mcp_servers.a]\ncommand = "x"' }, '.codex/config.toml: servers'],
  [
    'codex',
    { '.codex/config.toml': 'notify = ["x"]\napproval_policy = "never"' },
    '.codex/config.toml: helpers permissions',
  ],
  ['codex', { '.codex/config.toml': '= =' }, '.codex/config.toml: unreadable'],
  ['codex', { '.codex/hooks.json': {} }, '.codex/hooks.json: hooks'],
  ['codex', { '.codex/rules/a.rules': 'x' }, '.codex/rules/a.rules: permissions'],
  ['gemini', { '.gemini/settings.json': '// c\n{"mcpServers": {"a": {}},}' }, '.gemini/settings.json: servers'],
  ['gemini', { '.gemini/settings.json': { tools: { discoveryCommand: 'x' } } }, '.gemini/settings.json: tools'],
  ['gemini', { '.env': 'NODE_OPTIONS=--require=./x.js' }, '.env: environment'],
  [
    'gemini',
    { '.gemini/extensions/a/gemini-extension.json': {} },
    '.gemini/extensions/a/gemini-extension.json: plugins',
  ],
  ['gemini', { '.gemini/commands/a.toml': 'prompt = "!{ls}"' }, '.gemini/commands/a.toml: commands'],
])('%s obeys %j', async (agent, files, expected) => {
  expect(words(await find(agent, repository(files)))).toEqual([expected])
})

test.each<[AgentName, Files]>([
  [
    'claude',
    { 'CLAUDE.md': 'Be kind.', '.claude/settings.json': { model: 'x', hooks: {}, permissions: { deny: ['Bash'] } } },
  ],
  ['claude', { '.claude/commands/a.md': '---\ndescription: x\n---\nSay hello!', '.claude/skills/a/run.sh': 'x' }],
  [
    'claude',
    {
      '.claude/agents/a.md':
        '---\nname: a\ndescription: >\n  No hooks: none\n\n  {}\n# x\ntools:\n- Read\nmetadata:\n  hooks: none\n---\nhooks: x\n',
      '.claude/agents/b.md': '---\nA rule, and no end of it.\n',
    },
  ],
  ['claude', { '.mcp.json': { mcpServers: {} }, '.codex/config.toml': 'notify = ["x"]' }],
  ['codex', { 'AGENTS.md': 'Be kind.', '.codex/config.toml': 'model = "x"' }],
  ['gemini', { 'GEMINI.md': 'Be kind.', '.gemini/settings.json': { ui: { theme: 'x' } }, '.env': '# none\n' }],
  ['opencode', { 'opencode.json': { plugin: ['x'] }, '.opencode/plugin/a.js': '' }],
])('%s obeys nothing in %j that decides what runs', async (agent, files) => {
  expect(words(await find(agent, repository(files)))).toEqual([])
})

test.each([
  ['with blanks after the marks', '---  \nhooks: x\n--- \n', 'hooks'],
  ['after an empty line', '\n---\nhooks: x\n---\n', 'hooks'],
  ['with an end within a line', '---\nname: a\nhooks: x ---\n', 'hooks'],
  ['behind another mark within a line', '---\nname: a --- b\nhooks: x\n---\n', 'hooks'],
  ['indented', '---\n  name: a\n  hooks: x\n---\n', 'hooks'],
  ['with lone carriage returns', '---\rname: a\rhooks: x\r---\r', 'hooks'],
  ['behind tabs', '---\n name: a\n\t\thooks: x\n---\n', 'hooks'],
  ['in quotes', '---\n"hooks" : x\n---\n', 'hooks'],
  ['with an escape', '---\n"h\\x6foks": x\n---\n', 'unreadable'],
  ['in braces', '---\n{ name: a, hooks: x }\n---\n', 'unreadable'],
  ['as an alias', '---\nname: &a hooks\n*a : x\n---\n', 'unreadable'],
  ['as an explicit key', '---\n? hooks\n: x\n---\n', 'unreadable'],
  ['merged', '---\nname: &a { hooks: x }\n<<: *a\n---\n', 'unreadable'],
  ['in another language', '---js\n{ hooks: x }\n---\n', 'unreadable'],
])('a hook in the front matter counts: %s', async (_how, text, kind) => {
  const root = repository({ '.claude/agents/a.md': text })
  expect(words(await find('claude', root))).toEqual([`.claude/agents/a.md: ${kind}`])
})

test('a hostile file costs little CPU', async () => {
  const blanks = ['\n', ' ', '\n ', '\u2028', 'a\n', ' a', ': ', '- '].map((part) =>
    part.repeat(255_000 / Buffer.byteLength(part)),
  )
  const files = Object.fromEntries(
    blanks.flatMap((text, n) => [
      [`.claude/commands/${n}.md`, `---\n${text}\n---\n`],
      [`a/${n}/.env`, text],
    ]),
  )
  const root = repository(files)
  const before = cpuMs()
  await find('claude', root)
  for (const n of blanks.keys()) await find('gemini', join(root, 'a', String(n)))
  expect(cpuMs() - before).toBeLessThan(2_000)
})

test('files that are large in all count as unreadable from 4 MiB on', async () => {
  const text = 'x'.repeat(200_000)
  const root = repository(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`.claude/commands/${n}.md`, text])))
  const found = await find('claude', root)
  expect(found).toHaveLength(9)
  expect(found[0]?.kinds).toEqual(['unreadable'])
})

test('each agent looks above the workspace as far as it was seen to', async () => {
  const files = {
    '.claude/settings.json': hooks,
    '.claude/settings.local.json': hooks,
    '.mcp.json': { mcpServers: { a: {} } },
  }
  const toml = { '.codex/config.toml': 'notify = ["x"]' }
  const root = repository({ ...files, ...toml, 'a/b/c.txt': '' })
  const inside = join(root, 'a/b')
  expect(words(await find('claude', inside))).toEqual([
    `${root}/.claude/settings.local.json: hooks`,
    `${root}/.mcp.json: servers`,
  ])
  expect(words(await find('codex', inside))).toEqual([`${root}/.codex/config.toml: helpers`])
  const loose = repository({ ...files, ...toml, 'a/b/c.txt': '' }, { hasGit: false })
  expect(words(await find('claude', join(loose, 'a/b')))).toEqual([`${loose}/.mcp.json: servers`])
  expect(await find('codex', join(loose, 'a/b'))).toEqual([])
})

test('in a git worktree and through a link, the settings of the repository count', async () => {
  const root = repository({ '.claude/settings.local.json': hooks, 'a/b.txt': '' }, { hasGit: false })
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', root, ...args])
  git('init', '-q')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x')
  const worktree = join(temporaryDirectory(), 'tree')
  git('worktree', 'add', '-q', worktree)
  expect(words(await find('claude', worktree))).toEqual([`${root}/.claude/settings.local.json: hooks`])
  const link = join(temporaryDirectory(), 'link')
  symlinkSync(join(root, 'a'), link)
  expect(words(await find('claude', link))).toEqual([`${root}/.claude/settings.local.json: hooks`])
})

test('the files of the template are not the project’s, as long as they are as the template has them', async () => {
  const text = JSON.stringify(hooks)
  const root = repository({ '.claude/settings.json': text })
  expect(await find('claude', root, { '.claude/settings.json': text })).toEqual([])
  expect(await find('claude', root, { '.claude/settings.json': `${text} ` })).toHaveLength(1)
})

test('a file that the hub cannot look into counts', async () => {
  const unreadable = ['.claude/settings.json: unreadable']
  const large = repository({ '.claude/settings.json': `{"model": "${'x'.repeat(300_000)}"}` })
  expect(words(await find('claude', large))).toEqual(unreadable)
  const folder = repository({ '.claude/settings.json/a': '' })
  expect(words(await find('claude', folder))).toEqual(unreadable)
  const circle = repository({ '.claude/a': '' })
  symlinkSync('settings.json', join(circle, '.claude/settings.json'))
  expect(words(await find('claude', circle))).toEqual(unreadable)
  const pipe = repository({ '.claude/a': '' })
  execFileSync('mkfifo', [join(pipe, '.claude/settings.json')])
  expect(words(await find('claude', pipe))).toEqual(unreadable)
  const elsewhere = repository({ '.claude/a': '' })
  symlinkSync(repository({ 'x.md': '!`x`' }), join(elsewhere, '.claude/commands'))
  expect(words(await find('claude', elsewhere))).toEqual(['.claude/commands/x.md: commands'])
  const many = repository(Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`.claude/commands/${n}.md`, ''])))
  expect(words(await find('claude', many))).toEqual(['.claude/commands: unreadable'])
})
