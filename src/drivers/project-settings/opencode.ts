/** The settings of a project that opencode may obey. Seen with 1.18.33. */
import { parse, type ParseError } from 'jsonc-parser'
import type { KnownKeys, ProjectRules, SettingKind } from './project-rules.ts'
import { always, frontMatterOf, kindsMatching, kindsOfKeys } from './project-rules.ts'

const keys: KnownKeys = {
  harmless: new Set([
    '$schema',
    'autoupdate',
    'instructions',
    'keybinds',
    'model',
    'share',
    'small_model',
    'theme',
    'tui',
  ]),
  kinds: {
    agent: 'permissions',
    mode: 'permissions',
    permission: 'permissions',
    command: 'commands',
    formatter: 'helpers',
    lsp: 'helpers',
    mcp: 'servers',
    plugin: 'plugins',
    tools: 'tools',
  },
}

function kindsInSettings(text: string): readonly SettingKind[] {
  const errors: ParseError[] = []
  const settings: unknown = parse(text, errors, { allowTrailingComma: true })
  return errors.length > 0 ? ['unreadable'] : kindsOfKeys(settings, keys)
}

function kindsInMarkdown(text: string): readonly SettingKind[] {
  const inFront = kindsMatching(frontMatterOf(text), { permissions: /^\s*["']?(permission|tools)["']?\s*:/m })
  return [...inFront, ...kindsMatching(text, { commands: /!`/ })]
}

const settings = (path: string) => ({ path, within: 'all-above', kindsIn: kindsInSettings }) as const
const scripts = (folder: string, kind: SettingKind) =>
  ({ path: `.opencode/${folder}`, files: /\.[cm]?[jt]s$/, within: 'all-above', kindsIn: always(kind) }) as const
const markdown = (folder: string) =>
  ({ path: `.opencode/${folder}`, files: /\.md$/, within: 'all-above', kindsIn: kindsInMarkdown }) as const

export const opencodeProject: ProjectRules = {
  files: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'].map(settings),
  folders: [
    ...['plugin', 'plugins'].map((folder) => scripts(folder, 'plugins')),
    ...['tool', 'tools'].map((folder) => scripts(folder, 'tools')),
    ...['agent', 'agents', 'command', 'commands'].map(markdown),
  ],
}
