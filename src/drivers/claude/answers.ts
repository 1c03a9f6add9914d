/** The answers of the gate in the words of Claude Code. */
import type { OwnToolAnswer, OwnToolCheck } from '../port/own-tools.ts'

/** The answer to a PreToolUse hook. */
export function toolHookAnswer(answer: OwnToolCheck): object {
  switch (answer.is) {
    case 'allowed':
      // Without a rule, Claude Code's own settings decide.
      return answer.isRuled ? decision('allow', 'Allowed by the policy of Signalbox.') : {}
    case 'ask':
      return decision('ask', answer.reason)
    case 'refused':
      return {
        ...decision('deny', answer.reason),
        ...(answer.endsTurn && { continue: false, stopReason: answer.reason }),
      }
  }
}

function decision(permissionDecision: 'allow' | 'ask' | 'deny', permissionDecisionReason: string): object {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } }
}

/** The answer to `can_use_tool`, and part of the answer to a PermissionRequest hook. */
export function permissionDecision(answer: OwnToolAnswer, input: object): object {
  if (answer.is === 'allowed') return { behavior: 'allow', updatedInput: input }
  return { behavior: 'deny', message: answer.reason, ...(answer.endsTurn && { interrupt: true }) }
}

export function permissionHookAnswer(answer: OwnToolAnswer, input: object): object {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: permissionDecision(answer, input) } }
}
