import { expect, test } from 'vitest'
import { z } from 'zod'
import { plainIssue } from '../base/plain-issue.ts'
import { explainWrongArguments } from './wrong-arguments.ts'

const variable = z.string().regex(/^[A-Z_]+$/, 'a variable is capital letters, such as "LOG_LEVEL"')
const argumentsOfTool = z.strictObject({
  name: z.string(),
  env: z.record(variable, z.string()).optional(),
  size: z.strictObject({ cols: z.int().min(1), rows: z.int().min(1) }).optional(),
  keys: z.union([z.string(), z.array(z.string())]).optional(),
  wait: z
    .discriminatedUnion('for', [
      z.object({ for: z.literal('exit') }),
      z.object({ for: z.literal('text'), value: z.string() }),
    ])
    .optional(),
})

function explained(args: unknown): string | undefined {
  const { error } = argumentsOfTool.safeParse(args, { error: plainIssue })
  return error && explainWrongArguments(error, Object.keys(argumentsOfTool.shape))
}

test('the error for an unknown argument lists the known ones', () => {
  expect(explained({ name: 'a', nmae: 'b' })).toBe(
    'Wrong arguments: "nmae" is not known here; the arguments are name, env, size, keys, wait.',
  )
})

test('the error for an unknown key inside an argument names the argument', () => {
  expect(explained({ name: 'a', size: { cols: 0, rows: 4, depth: 3 } })).toBe(
    'Wrong arguments: "size.cols": it must be at least 1; "size": "depth" is not known there.',
  )
})

test('the error for a wrong key of a map names the map and says what a key may be', () => {
  expect(explained({ name: 'a', env: { 'log level': '1' } })).toBe(
    'Wrong arguments: "env": the name "log level" is wrong: a variable is capital letters, such as "LOG_LEVEL".',
  )
})

test('the error for an argument with several shapes explains each shape', () => {
  expect(explained({ name: 'a', keys: 7 })).toBe(
    'Wrong arguments: "keys": it must be a string, not a number, or it must be a list, not a number.',
  )
  expect(explained({ name: 'a', keys: ['enter', 7] })).toContain('1: it must be a string, not a number')
})

test('the error for an unknown discriminator lists its values', () => {
  expect(explained({ name: 'a', wait: { for: 'ever' } })).toMatch(/"wait\.for": .*exit.*text/)
})
