import { durationSchema, toMilliseconds } from '../../api/duration.ts'
import { CliError } from './cli-error.ts'
import type { Arguments } from './command.ts'

/** Returns milliseconds. */
export function readDuration<FlagName extends string>(
  args: Arguments<FlagName>,
  flag: FlagName,
  fallback: string,
): number {
  const text = args.text(flag) ?? fallback
  const read = durationSchema.safeParse(/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)
  if (!read.success) throw new CliError('usage', `--${flag} takes a time such as 30s, 5m or 2h, not "${text}".`)
  return toMilliseconds(read.data)
}
