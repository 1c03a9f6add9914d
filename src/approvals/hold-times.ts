/**
 * How long a call is held for a person, by the name that its client sends as `clientInfo.name`. If the hold is longer
 * than the client's timeout, the call is lost. If it is much shorter, the agent's turn ends for no reason.
 */
const holdSeconds: ReadonlyMap<string, number> = new Map([
  // Codex 0.166 times out after 300 s.
  ['codex-mcp-client', 280],
  // Gemini CLI 0.61 times out after 600 s.
  ['gemini-cli-mcp-client', 570],
  // opencode 1.18 was still waiting after 12 minutes.
  ['opencode', 690],
  // Claude Code 2.1 continues in the background and takes the answer when it comes.
  ['claude-code', 600],
  // The built-in agent has no timeout. Its turn has a limit.
  ['signalbox-assistant', 3600],
])

/** The MCP SDKs time out after 60 s by default. */
const strangersSeconds = 50

export function holdMsOf(clientName: string | undefined): number {
  return (holdSeconds.get(clientName ?? '') ?? strangersSeconds) * 1000
}
