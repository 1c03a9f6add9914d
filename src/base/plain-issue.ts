/**
 * Zod's findings in plain words, as the end of a sentence: `"lines": it must be at most 10000`. Pass it to a parse as
 * `error`. A schema with a message of its own keeps that message.
 */
import type { z } from 'zod'

export function plainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = types[issue.expected] ?? issue.expected
      if (issue.input === undefined) return `it is missing; it must be ${expected}`
      return `it must be ${expected}, not ${typeOf(issue.input)}`
    }
    case 'too_small': {
      const bound = issue.inclusive === false ? 'more than' : 'at least'
      return `it must ${amount(issue.origin, `${bound} ${issue.minimum}`)}`
    }
    case 'too_big': {
      const bound = issue.inclusive === false ? 'less than' : 'at most'
      return `it must ${amount(issue.origin, `${bound} ${issue.maximum}`)}`
    }
    case 'invalid_value':
      return `it must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((each) => JSON.stringify(each)).join(', ')}`
    case 'invalid_format':
      return issue.format === 'datetime' ? 'it must be a time such as 2026-01-31T08:00:00Z' : undefined
    default:
      return undefined
  }
}

function amount(origin: string, count: string): string {
  if (origin === 'string') return `have ${count} characters`
  if (origin === 'array' || origin === 'set') return `have ${count} items`
  return `be ${count}`
}

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return types[typeof value] ?? typeof value
}
