import { durationSchema, toMilliseconds } from '../../api/duration.ts'
import { CliError } from './cli-error.ts'
import type { Arguments } from './command.ts'

/** A point in time, or how long ago it was: `2026-01-31T08:00:00Z`, `2026-01-31`, `1h`. Returns it as ISO 8601. */
export function readTime<FlagName extends string>(args: Arguments<FlagName>, flag: FlagName): string | undefined {
  const text = args.text(flag)
  if (text === undefined) return undefined
  const ago = durationSchema.safeParse(text)
  const at = ago.success ? Date.now() - toMilliseconds(ago.data) : timeOf(text)
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw new CliError(
    'usage',
    `--${flag} takes a time such as 2026-01-31T08:00:00Z, or 1h for an hour ago, not "${text}".`,
  )
}

/** `Date.parse` alone accepts much that is not a time, such as "x 1". */
function timeOf(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
}
