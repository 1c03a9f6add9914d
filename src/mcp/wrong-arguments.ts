/** Explains zod's errors about the arguments of a tool in one sentence, with the arguments that would work. */
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
  // For a discriminated union, zod itself lists the values of the discriminating field.
  return issue.errors.map(reasons).join(', or ') || issue.message
}

function reasons(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map((issue) => [...issue.path, reason(issue)].join(': ')).join(' and ')
}
