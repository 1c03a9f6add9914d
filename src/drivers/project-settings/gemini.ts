/** The settings of a project that Gemini CLI obeys. Seen with 0.61.0. */
import { parse, type ParseError } from 'jsonc-parser'
import type { KnownKeys, ProjectRules, SettingKind } from './project-rules.ts'
import { always, kindsMatching, kindsOfKeys } from './project-rules.ts'

const keys: KnownKeys = {
  harmless: new Set(['$schema', 'context', 'contextFileName', 'ide', 'model', 'privacy', 'theme', 'ui']),
  kinds: {
    hooks: 'hooks',
    hooksConfig: 'hooks',
    extensions: 'plugins',
    mcp: 'servers',
    mcpServers: 'servers',
    security: 'permissions',
    tools: 'tools',
  },
}

/** Gemini CLI allows comments in it. */
function kindsInSettings(text: string): readonly SettingKind[] {
  const errors: ParseError[] = []
  const settings: unknown = parse(text, errors, { allowTrailingComma: true })
  return errors.length > 0 ? ['unreadable'] : kindsOfKeys(settings, keys)
}

/** A variable may be spread over lines, so every line counts that is not a comment. */
function kindsInVariables(text: string): readonly SettingKind[] {
  return text.split(/[\r\n]/).some((line) => !/^\s*(#|$)/.test(line)) ? ['environment'] : []
}

export const geminiProject: ProjectRules = {
  files: [
    { path: '.gemini/settings.json', within: 'workspace', kindsIn: kindsInSettings },
    { path: '.gemini/.env', within: 'all-above', kindsIn: kindsInVariables },
    { path: '.env', within: 'all-above', kindsIn: kindsInVariables },
  ],
  folders: [
    { path: '.gemini/extensions', files: /./, within: 'workspace', kindsIn: always('plugins') },
    { path: '.gemini/policies', files: /\.toml$/, within: 'workspace', kindsIn: always('permissions') },
    { path: '.gemini/agents', files: /\.md$/, within: 'workspace', kindsIn: always('other') },
    {
      path: '.gemini/commands',
      files: /\.toml$/,
      within: 'workspace',
      kindsIn: (text) => kindsMatching(text, { commands: /!\{/ }),
    },
  ],
}
