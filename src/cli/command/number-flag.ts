import { CliError } from './cli-error.ts'
import type { Arguments } from './command.ts'

export function readInteger<FlagName extends string>(args: Arguments<FlagName>, flag: FlagName): number | undefined {
  const text = args.text(flag)
  if (text === undefined) return undefined
  if (!/^-?\d+$/.test(text)) throw new CliError('usage', `--${flag} takes a whole number, not "${text}".`)
  return Number(text)
}
