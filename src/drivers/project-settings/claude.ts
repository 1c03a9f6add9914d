/** The settings of a project that Claude Code obeys. Seen with 2.1.325. */
import type { KnownKeys, ProjectFolder, ProjectRules, SettingKind } from './project-rules.ts'
import { always, kindsInFrontMatter, kindsMatching, kindsOfKeys } from './project-rules.ts'

const keys: KnownKeys = {
  harmless: new Set([
    '$schema',
    'alwaysThinkingEnabled',
    'attribution',
    'cleanupPeriodDays',
    'companyAnnouncements',
    'disabledMcpjsonServers',
    'effortLevel',
    'includeCoAuthoredBy',
    'language',
    'model',
    'outputStyle',
    'plansDirectory',
    'prefersReducedMotion',
    'respectGitignore',
    'spinnerTipsEnabled',
    'theme',
  ]),
  kinds: {
    hooks: 'hooks',
    disableAllHooks: 'hooks',
    allowedHttpHookUrls: 'hooks',
    httpHookAllowedEnvVars: 'hooks',
    env: 'environment',
    apiKeyHelper: 'helpers',
    awsAuthRefresh: 'helpers',
    awsCredentialExport: 'helpers',
    fileSuggestion: 'helpers',
    gcpAuthRefresh: 'helpers',
    otelHeadersHelper: 'helpers',
    statusLine: 'helpers',
    subagentStatusLine: 'helpers',
    permissions: 'permissions',
    sandbox: 'permissions',
    enabledPlugins: 'plugins',
    extraKnownMarketplaces: 'plugins',
    enableAllProjectMcpServers: 'servers',
    enabledMcpjsonServers: 'servers',
  },
}

/** Rules that only take something away loosen nothing. */
const strictPermissions = new Set(['ask', 'deny', 'disableAutoMode', 'disableBypassPermissionsMode'])

function kindsInSettings(text: string): readonly SettingKind[] {
  const settings: unknown = JSON.parse(text)
  const kinds = kindsOfKeys(settings, keys)
  const permissions = Object.keys((settings as { permissions?: object }).permissions ?? {})
  const isStrict = permissions.every((key) => strictPermissions.has(key))
  const hasSandbox = Object.hasOwn(settings as object, 'sandbox')
  return isStrict && !hasSandbox ? kinds.filter((kind) => kind !== 'permissions') : kinds
}

function kindsInServers(text: string): readonly SettingKind[] {
  return kindsOfKeys(JSON.parse(text), { harmless: new Set(), kinds: { mcpServers: 'servers' } })
}

/** Agents, commands and skills may bring hooks, servers and permissions. `!` before a command runs it at once. */
function kindsInMarkdown(text: string): readonly SettingKind[] {
  const inFront = kindsInFrontMatter(text, {
    hooks: 'hooks',
    mcpServers: 'servers',
    'allowed-tools': 'permissions',
    allowedTools: 'permissions',
    permissionMode: 'permissions',
  })
  return [...inFront, ...kindsMatching(text, { commands: /!`|```[ \t]*!/ })]
}

const folder = (name: string, files: RegExp, kindsIn: ProjectFolder['kindsIn']) =>
  ({ path: `.claude/${name}`, files, within: 'up-to-git-root', kindsIn }) as const

export const claudeProject: ProjectRules = {
  files: [
    { path: '.claude/settings.json', within: 'workspace', kindsIn: kindsInSettings },
    { path: '.claude/settings.local.json', within: 'git-root', kindsIn: kindsInSettings },
    { path: '.mcp.json', within: 'all-above', kindsIn: kindsInServers },
  ],
  folders: [
    folder('agents', /\.md$/i, kindsInMarkdown),
    folder('commands', /\.md$/i, kindsInMarkdown),
    folder('skills', /(^|\/)SKILL\.md$/i, kindsInMarkdown),
    // A skill with such a file is a plugin, and needs no installation.
    folder('skills', /(^|\/)\.claude-plugin\/plugin\.json$/i, always('plugins')),
  ],
}
