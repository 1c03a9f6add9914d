/** What zod finds wrong with the arguments of a tool, as one sentence that names them and says what would work. */
import type { z } from 'zod'

export function explainWrongArguments(error: z.ZodError, known: readonly string[]): string {
  return `Wrong arguments: ${error.issues.map((issue) => explain(issue, known)).join('; ')}.`
}

function explain(issue: z.core.$ZodIssue, known: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => `"${key}"`).join(', ')
    if (issue.path.length > 0) return `"${issue.path.join('.')}": ${names} is not known there`
    return `${names} is not known here; the arguments are ${known.join(', ') || 'none'}`
  }
  if (issue.code === 'invalid_key') {
    const [key, ...outer] = issue.path.toReversed()
    return `"${outer.toReversed().join('.')}": the name "${String(key)}" is wrong: ${reasons(issue.issues)}`
  }
  return `"${issue.path.join('.')}": ${reason(issue)}`
}

function reason(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  // Of a union that is told apart by a field, zod says itself what that field may be.
  return issue.errors.map(reasons).join(', or ') || issue.message
}

function reasons(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map((issue) => [...issue.path, reason(issue)].join(': ')).join(' and ')
}
