/** How Codex runs while it answers: the settings of the hub as flags of its server and as rules of its session. */
import type { Config } from '../../config/config.ts'

export type AnsweringSettings = Pick<
  Config,
  | 'repositoryModel'
  | 'repositoryEffort'
  | 'repositorySandbox'
  | 'repositoryApproval'
  | 'repositoryNetwork'
  | 'repositoryWebSearch'
>

/** `agent`: another agent asks. Then Codex only has the tools of the hub, whose use the gate decides. */
export type Asker = 'person' | 'agent'

export function codexFlags(settings: AnsweringSettings, asker: Asker): readonly string[] {
  const { repositoryModel, repositoryEffort, repositorySandbox, repositoryNetwork, repositoryWebSearch } = settings
  const isSearching = repositoryWebSearch && asker === 'person'
  return Object.entries({
    model: repositoryModel,
    model_reasoning_effort: repositoryEffort,
    sandbox_mode: repositorySandbox,
    'sandbox_workspace_write.network_access': repositoryNetwork,
    web_search: isSearching ? 'live' : 'disabled',
    // Codex's sandbox lets commands read every file of the user. An agent may be confined to fewer.
    ...(asker === 'agent' && { 'features.shell_tool': false }),
  }).flatMap(([key, value]) => ['-c', `${key}=${JSON.stringify(value)}`])
}

/** The model that a session was started with. */
export function modelIn(flags: readonly string[]): string {
  const flag = flags.find((each) => each.startsWith('model=')) ?? 'model=""'
  return JSON.parse(flag.slice('model='.length)) as string
}

interface Rule {
  readonly deny?: readonly string[]
  readonly ask?: readonly string[]
  readonly allow?: readonly string[]
  readonly when?: object
  readonly reason?: string
}

/**
 * Codex asks the hub before each of its own tools, whatever its settings are, because the policy decides first. So its
 * settings become rules of its session.
 */
export function answeringPolicy(settings: AnsweringSettings, asker: Asker, root: string): string {
  return JSON.stringify({ rules: asker === 'agent' ? forAgents : forPeople(settings, root) }, null, 2)
}

const files = ['own_write', 'own_edit']

const forAgents: readonly Rule[] = [
  { deny: ['own_*'], reason: 'it answers another agent, so it has only the tools for repositories' },
]

function forPeople({ repositorySandbox: sandbox, repositoryApproval: approval }: AnsweringSettings, root: string) {
  const rules: Rule[] = []
  // Codex applies a patch outside its sandbox once it was accepted.
  if (sandbox === 'read-only') {
    rules.push({ deny: files, reason: 'SIGNALBOX_REPOSITORY_SANDBOX is "read-only"' })
  }
  switch (approval) {
    case 'never':
      // An accepted command can run outside Codex's sandbox, and no person would see it.
      if (sandbox === 'read-only')
        rules.push({ deny: ['own_shell'], reason: 'it searches and reads with the tools for repositories' })
      rules.push(...neverAsked(sandbox === 'workspace-write' ? root : undefined))
      break
    case 'untrusted':
      rules.push({ ask: ['own_shell', ...files] })
      break
    case 'on-request':
    case 'on-failure':
      // Where no rule matches, Codex asks a person before it leaves the sandbox.
      break
  }
  return rules
}

/** Refuses everything that Codex would ask a person about. */
function neverAsked(writableRoot: string | undefined): readonly Rule[] {
  const reason = 'SIGNALBOX_REPOSITORY_APPROVAL is "never", so no person is asked'
  const leaving = (field: string) => ({
    deny: ['own_shell'],
    when: {
      properties: { agent_arguments: { type: 'object', required: [field] } },
      required: ['agent_arguments'],
    },
    reason,
  })
  return [
    leaving('sandbox_permissions'),
    leaving('additional_permissions'),
    { deny: ['own_network', 'own_grant_root', 'own_request_permissions', 'own_mcp__*'], reason },
    // Text for a command that already runs in the sandbox.
    {
      allow: ['own_shell'],
      when: { properties: { agent_tool: { const: 'write_stdin' } }, required: ['agent_tool'] },
    },
    ...(writableRoot === undefined
      ? []
      : [
          {
            deny: files,
            when: { properties: { path: { not: { pattern: `^${escaped(writableRoot)}/` } } }, required: ['path'] },
            reason,
          },
        ]),
  ]
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
