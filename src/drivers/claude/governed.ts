/** The states of the gate over Claude Code's own tools, with reasons for people. */
import type { Governed } from '../../api/session.ts'

export const notSeenYet: Governed = {
  is: 'no',
  reason: 'Claude Code has not run a hook of the hub yet.',
  unproven: true,
}

export const hooksAreOff: Governed = {
  is: 'no',
  reason:
    'Claude Code runs no hooks, so the policy does not cover its own tools. Look for --bare, CLAUDE_CODE_SIMPLE or allowManagedHooksOnly.',
}

/** The modes in which Claude Code asks a person where no rule matches. */
const askingModes = new Set(['default', 'plan', undefined])

export function governedIn(permissionMode: string | undefined): Governed {
  if (askingModes.has(permissionMode)) return { is: 'yes' }
  return {
    is: 'yes',
    reason: `The rules apply. Where none matches, Claude Code may decide without asking: its permission mode is ${permissionMode}.`,
  }
}
