/** The groups that tools belong to (API, "Toolsets"). */
const toolsetNames = [
  'sessions',
  'terminal',
  'approvals',
  'connectors',
  'policy',
  'agents',
  'repositories',
  'events',
  'admin',
  'search',
] as const

/** The short list, with tools of several groups. A list with it has no output schemas. */
export const essentials = 'essentials'

export const everyToolset = 'all'

/** The toolsets that a client or a token can name. */
export const toolsetChoices: readonly string[] = [essentials, ...toolsetNames, everyToolset]

/** Listed if neither the request nor the token names toolsets. */
export const defaultToolsets: readonly string[] = [essentials]

/** Everything except the tools that find and call the others. */
export const searchedToolsets: readonly string[] = toolsetNames.filter((name) => name !== 'search')

/**
 * A person's short list: enough to start, watch, steer, answer and end sessions, and to find the other tools.
 * `test/short-lists.test.ts` limits its size.
 */
export const essentialTools: ReadonlySet<string> = new Set([
  'list_templates',
  'create_session',
  'list_sessions',
  'get_session',
  'wait_session',
  'read_screen',
  'tail_log',
  'screenshot',
  'prompt_session',
  'steer_session',
  'interrupt_session',
  'answer_question',
  'read_thread',
  'send_input',
  'send_keys',
  'list_approvals',
  'wait_approvals',
  'decide_approval',
  'resume_session',
  'kill_session',
  'search_tools',
  'call_tool',
])

/** The names that are not toolsets. */
export function unknownToolsets(names: readonly string[]): readonly string[] {
  return names.filter((name) => !toolsetChoices.includes(name))
}
