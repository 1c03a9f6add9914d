/** An approval in words: what the agent wants to do, and why it was asked. */
import type { Approval } from '../../src/api/approval.ts'
import { ruleWords } from '../parts/rule-words.ts'

export type Question =
  | { readonly is: 'command'; readonly command: string; readonly directory: string | undefined }
  | { readonly is: 'edit'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly is: 'patch'; readonly path: string; readonly patch: string }
  | { readonly is: 'call' }

type Arguments = Readonly<Record<string, unknown>>

export function questionOf({ tool, arguments: args }: Pick<Approval, 'tool' | 'arguments'>): Question {
  const all = { ...asArguments(args['agent_arguments']), ...args }
  const text = (...names: readonly string[]) => names.map((name) => all[name]).find((each) => typeof each === 'string')
  const [command, path] = [text('command'), text('path')]
  if (tool === 'own_shell' && command !== undefined) return { is: 'command', command, directory: text('cwd') }
  if ((tool === 'own_edit' || tool === 'own_write') && path !== undefined) {
    const patch = text('diff', 'patch')
    const after = text('new_text', 'new_string', 'newString', 'content')
    if (after !== undefined)
      return { is: 'edit', path, before: text('old_text', 'old_string', 'oldString') ?? '', after }
    if (patch !== undefined) return { is: 'patch', path, patch }
  }
  return { is: 'call' }
}

/** `Run a command` */
export function titleOf(approval: Approval): string {
  const question = questionOf(approval)
  switch (question.is) {
    case 'command':
      return 'Run a command'
    case 'edit':
    case 'patch':
      return approval.tool === 'own_write' ? 'Write a file' : 'Edit a file'
    case 'call':
      return `Call ${approval.tool}`
  }
}

/** One line for lists. */
export function summaryOf(approval: Approval): string {
  const question = questionOf(approval)
  switch (question.is) {
    case 'command':
      return question.command
    case 'edit':
    case 'patch':
      return `${approval.tool === 'own_write' ? 'Write' : 'Edit'} ${question.path}`
    case 'call': {
      const values = Object.values(approval.arguments).filter((each) => typeof each === 'string')
      return values[0] === undefined ? approval.tool : `${approval.tool} ${values[0].split('\n')[0]}`
    }
  }
}

export function whyOf({ rule, rule_reason: reason }: Approval): string {
  if (rule === undefined) return 'No rule matches; the default is ask'
  const asked = `Asked by ${ruleWords(rule)}`
  return reason === undefined ? asked : `${asked}: ${reason}`
}

/** How it was answered. */
export function outcomeOf({ status, decided_by: by, grant }: Approval): string {
  const who = by === undefined ? '' : ` by ${by}`
  switch (status) {
    case 'pending':
      return 'waits for you'
    case 'approved':
    case 'consumed':
      return grant === undefined ? `allowed once${who}` : `allowed, with a grant${who}`
    case 'denied':
      return `denied${who}`
    case 'aborted':
      return `turn aborted${who}`
    case 'expired':
      return 'expired, not run'
    case 'abandoned':
      return 'the agent has left'
  }
}

export function asArguments(value: unknown): Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Arguments) : {}
}
