/** The agents that the CLI looks for. The name of a program is also the name of its template. */
export const knownAgents = [
  { program: 'codex', npmPackage: '@openai/codex' },
  { program: 'claude', npmPackage: '@anthropic-ai/claude-code' },
  { program: 'gemini', npmPackage: '@google/gemini-cli' },
  { program: 'opencode', npmPackage: 'opencode-ai' },
] as const
