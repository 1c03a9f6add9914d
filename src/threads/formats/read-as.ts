/** Checks a foreign value, and says in one sentence where it is wrong. */
import type { z } from 'zod'
import { HubError } from '../../base/hub-error.ts'

export function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const { path = [], message = 'is not understood' } = deepest(read.error.issues) ?? {}
  throw wrongAt(pathText(where, path), message)
}

export function wrongAt(where: string, problem: string): HubError {
  return new HubError('invalid', `"text": ${where} is not what the format has there (${problem}).`)
}

/** Of a union, the issue of the alternative that matched furthest. */
function deepest(issues: readonly z.core.$ZodIssue[]): Pick<z.core.$ZodIssue, 'path' | 'message'> | undefined {
  const found = issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue]
    const inner = issue.errors.flatMap((each) => deepest(each) ?? [])
    return inner.map((each) => ({ ...each, path: [...issue.path, ...each.path] }))
  })
  return found.toSorted((one, two) => two.path.length - one.path.length)[0]
}

function pathText(where: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    where,
  )
}
