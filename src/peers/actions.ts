/** The actions that one agent can ask of another, and the prompts that the other gets. */
import type { Action } from '../api/action.ts'
import { agentPrompt, fromAgent } from '../api/action-prompt.ts'

interface PeerAction {
  readonly description: string
  /** Whether the peer is asked to change files. */
  readonly isWriting: boolean
}

export const actions = {
  ask: {
    description: 'Prompts the agent of another session (name or id), and waits for its answer.',
    isWriting: true,
  },
  code_advice: { description: 'Asks another agent for advice on code.', isWriting: false },
  search_web: { description: 'Asks another agent to search the web.', isWriting: false },
  tests_generate: { description: 'Asks another agent to write tests.', isWriting: true },
  refactor_apply: { description: 'Asks another agent to change code in its workspace.', isWriting: true },
} as const satisfies Readonly<Partial<Record<Action | 'ask', PeerAction>>>

export type ActionName = keyof typeof actions
export const actionNames = Object.keys(actions) as readonly ActionName[]

export function promptFor(name: ActionName, text: string): string {
  return name === 'ask' ? fromAgent(text) : agentPrompt(name, { text }, true)
}
