import { expect, test } from 'vitest'
import { z } from 'zod'
import { plainIssue } from './plain-issue.ts'

test.each([
  [z.string(), undefined, 'it is missing; it must be a string'],
  [z.string(), 7, 'it must be a string, not a number'],
  [z.array(z.string()), {}, 'it must be a list, not an object'],
  [z.boolean(), null, 'it must be true or false, not null'],
  [z.int(), 1.5, 'it must be a whole number, not a number'],
  [z.int().max(10), 11, 'it must be at most 10'],
  [z.number().positive(), 0, 'it must be more than 0'],
  [z.string().min(1), '', 'it must have at least 1 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'it must have at most 1 items'],
  [z.enum(['once', 'rule']), 'x', 'it must be one of "once", "rule"'],
  [z.literal(3), 4, 'it must be 3'],
  [z.iso.datetime(), 'then', 'it must be a time such as 2026-01-31T08:00:00Z'],
  [z.string().max(2, 'a short name'), 'abc', 'a short name'],
])('explains %# in plain words', (schema: z.ZodType, value, expected) => {
  expect(schema.safeParse(value, { error: plainIssue }).error?.issues[0]?.message).toBe(expected)
})
