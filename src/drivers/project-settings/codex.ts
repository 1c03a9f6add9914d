/** The settings of a project that Codex obeys. Seen with 0.166.0. */
import { parse } from 'smol-toml'
import type { KnownKeys, ProjectRules } from './project-rules.ts'
import { always, kindsOfKeys } from './project-rules.ts'

const keys: KnownKeys = {
  harmless: new Set([
    'hide_agent_reasoning',
    'model',
    'model_reasoning_effort',
    'model_reasoning_summary',
    'model_verbosity',
    'personality',
    'project_doc_fallback_filenames',
    'project_doc_max_bytes',
    'review_model',
    'show_raw_agent_reasoning',
    'tui',
  ]),
  kinds: {
    hooks: 'hooks',
    plugins: 'plugins',
    marketplaces: 'plugins',
    shell_environment_policy: 'environment',
    notify: 'helpers',
    approval_policy: 'permissions',
    approvals_reviewer: 'permissions',
    default_permissions: 'permissions',
    permissions: 'permissions',
    profiles: 'permissions',
    projects: 'permissions',
    sandbox_mode: 'permissions',
    sandbox_workspace_write: 'permissions',
    mcp_servers: 'servers',
    tools: 'tools',
    web_search: 'tools',
  },
}

export const codexProject: ProjectRules = {
  files: [
    { path: '.codex/config.toml', within: 'up-to-git-root', kindsIn: (text) => kindsOfKeys(parse(text), keys) },
    { path: '.codex/hooks.json', within: 'up-to-git-root', kindsIn: always('hooks') },
  ],
  folders: [
    { path: '.codex/agents', files: /\.toml$/, within: 'up-to-git-root', kindsIn: always('other') },
    { path: '.codex/plugins', files: /./, within: 'up-to-git-root', kindsIn: always('plugins') },
    { path: '.codex/rules', files: /\.rules$/, within: 'up-to-git-root', kindsIn: always('permissions') },
  ],
}
