/** The agents of the benchmark, as a person would run them without the hub. */
import type { AgentName } from '../../test/agents/agents.ts'
import type { Alone } from './turn.ts'

export interface Contender {
  readonly agent: AgentName
  readonly label: string
  readonly alone: Alone
}

const claude: Contender = {
  agent: 'claude',
  label: 'Claude Code',
  alone: {
    program: 'claude',
    args: ([command, ...args], prompt) => [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--allowedTools',
      'mcp__up',
      '--mcp-config',
      JSON.stringify({ mcpServers: { up: { type: 'stdio', command, args } } }),
      '--',
      prompt,
    ],
    tool: 'Act-Now',
    end: /"type":"result"/,
  },
}

const codex: Contender = {
  agent: 'codex',
  label: 'Codex',
  alone: {
    program: 'codex',
    args: ([command, ...args], prompt) => [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '-c',
      `mcp_servers.up.command=${JSON.stringify(command)}`,
      '-c',
      `mcp_servers.up.args=${JSON.stringify(args)}`,
      '-c',
      'mcp_servers.up.default_tools_approval_mode="approve"',
      // It waits for the upstream before the first request.
      '-c',
      'mcp_servers.up.required=true',
      prompt,
    ],
    tool: 'Act_Now',
    end: /"type":"turn\.completed"/,
  },
}

export const contenders: readonly Contender[] = [claude, codex]
