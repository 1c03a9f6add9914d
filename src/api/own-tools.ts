/**
 * The tools that are built into agents, under one vocabulary: the names by which the policy judges them (API, "own").
 * Only the agents themselves run them: they cannot be called through the hub.
 */
export const ownMount = 'own'

const ownPrefix = `${ownMount}_`

export function isOwnTool(tool: string): boolean {
  return tool.startsWith(ownPrefix)
}

/** A call of a built-in tool, in the words of the policy. */
export interface OwnTool {
  /**
   * `own_shell`, `own_edit`, `own_write`, `own_read`, `own_fetch`, `own_search`, `own_network`, or `own_` and the
   * agent's name for the tool.
   */
  readonly tool: string
  readonly arguments: OwnToolArguments
}

export interface OwnToolArguments extends Readonly<Record<string, unknown>> {
  /** The agent's own name for the tool. */
  readonly agent_tool: string
  /** The agent's own arguments that the common ones do not cover. */
  readonly agent_arguments?: Readonly<Record<string, unknown>>
}

const commonNames = new Set(['shell', 'edit', 'write', 'read', 'fetch', 'search', 'network'])

/** The names that all agents share. */
export const commonOwnTools: readonly string[] = [...commonNames].map((name) => ownPrefix + name)

/**
 * Names a tool that has no common name. If the agent's name for the tool equals a common name, the tool gets another
 * one: its arguments are not the common ones, so a rule that allows some commands or paths would allow every call of
 * it.
 */
export function ownToolName(agentTool: string): string {
  const name = agentTool.replaceAll(/[^A-Za-z0-9_]/g, '_')
  return ownPrefix + (commonNames.has(name) ? `other_${name}` : name)
}
