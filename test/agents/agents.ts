/** The agents that tests run, each at the version of its recording and its rules. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Agent {
  readonly name: AgentName
  /** On npm. */
  readonly package: string
  readonly version: string
  /** The files in the home of a person who uses it: its model, and settings that skip the onboarding. */
  settings(model: string): Readonly<Record<string, string | object>>
  /** The variables of that person. */
  environment(model: string): Readonly<Record<string, string>>
  /** A line for the scripted model that makes the agent run a command in its own shell, for which it must ask. */
  askingCall(command: string): string
  /** Matches its screen when it asks. */
  readonly asks: RegExp
  /** Matches the reason that the hub then reports for waiting. */
  readonly reason: RegExp
  /** How its own editor shows a tab. */
  readonly tab: string
  /** Whether it asks before it calls a tool of an MCP server, even one that only reads. */
  readonly asksForTools: boolean
  /** Matches its screen when it accepts input. */
  readonly ready: RegExp
}

export type AgentName = 'codex' | 'claude' | 'gemini' | 'opencode'

const codex: Agent = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.166.0',
  settings: (model) => ({
    '.codex/config.toml': [
      'model = "scripted"',
      'model_provider = "scripted"',
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.scripted]',
      'name = "Scripted"',
      `base_url = "${model}/v1"`,
      'env_key = "OPENAI_API_KEY"',
      'wire_api = "responses"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
    ].join('\n'),
  }),
  environment: () => ({ OPENAI_API_KEY: 'dummy' }),
  askingCall: (command) =>
    `CALL exec_command ${JSON.stringify({ cmd: command, sandbox_permissions: 'require_escalated', justification: 'It is time.' })}`,
  asks: /Would you like to run the following command\?/,
  reason: /approval: own_shell/,
  tab: '\t',
  asksForTools: false,
  ready: /› Ask Codex to do anything/,
}

const claude: Agent = {
  name: 'claude',
  package: '@anthropic-ai/claude-code',
  version: '2.1.325',
  settings: () => ({
    '.claude.json': {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: ['sk-dummy'], rejected: [] },
    },
    // By default it sends each command to a service for a check, which the scripted model does not provide.
    '.claude/settings.json': { permissions: { defaultMode: 'default', disableAutoMode: 'disable' } },
  }),
  environment: (model) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'sk-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // Otherwise the model would have to search for the tools of an MCP server before it can call them.
    ENABLE_TOOL_SEARCH: 'false',
  }),
  askingCall: (command) => `CALL Bash ${JSON.stringify({ command, description: 'Does it' })}`,
  asks: /Do you want to proceed\?/,
  reason: /approval: own_shell/,
  tab: '    ',
  asksForTools: false,
  ready: /^❯/m,
}

const gemini: Agent = {
  name: 'gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  settings: () => ({
    '.gemini/settings.json': {
      security: { auth: { selectedType: 'gemini-api-key' } },
      model: { name: 'gemini-2.5-pro' },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    },
  }),
  environment: (model) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: model }),
  askingCall: (command) => `CALL run_shell_command ${JSON.stringify({ command, description: 'Does it' })}`,
  asks: /Allow execution of/,
  reason: /approval: own_shell/,
  tab: '\t',
  asksForTools: false,
  ready: />   Type your message/,
}

const opencode: Agent = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  settings: (model) => ({
    '.config/opencode/opencode.json': {
      autoupdate: false,
      share: 'disabled',
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      enabled_providers: ['scripted'],
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${model}/v1`, apiKey: 'dummy' },
          models: {
            scripted: {
              name: 'Scripted',
              tool_call: true,
              reasoning: true,
              limit: { context: 200_000, output: 8_000 },
            },
          },
        },
      },
      permission: { bash: 'ask' },
    },
  }),
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  askingCall: (command) => `CALL bash ${JSON.stringify({ command, description: 'Does it' })}`,
  asks: /Permission required/,
  reason: /approval: own_shell/,
  tab: '\t',
  asksForTools: false,
  ready: /ctrl\+p commands/,
}

export const agents: readonly Agent[] = [codex, claude, gemini, opencode]

/** Outside node_modules, so that installing the hub's own packages does not remove them. */
export const agentsDirectory = fileURLToPath(new URL('../../.cache/agents/', import.meta.url))
/** Links to their programs, and to a Node that can run them. */
export const agentPrograms = join(agentsDirectory, 'bin')

export function installedVersion(agent: Agent): string | undefined {
  try {
    const text = readFileSync(join(agentsDirectory, 'node_modules', agent.package, 'package.json'), 'utf8')
    return (JSON.parse(text) as { version: string }).version
  } catch {
    return undefined
  }
}

export function writeSettings(home: string, { settings }: Pick<Agent, 'settings'>, model: string): void {
  for (const [path, content] of Object.entries(settings(model))) {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
}
