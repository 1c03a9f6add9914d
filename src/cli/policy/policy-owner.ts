/** The owner of a policy: the hub, a template or a session. */
import { z } from 'zod'
import { effects, policyScopes } from '../../api/policy.ts'
import { CliError } from '../command/cli-error.ts'
import type { Arguments, Flag } from '../command/command.ts'

export const ownerFlags = {
  scope: { takes: 'SCOPE', about: `whose policy: ${policyScopes.join(', ')} (default: hub)` },
  target: { takes: 'NAME', about: 'the template, or the session by name or id' },
} as const satisfies Record<string, Flag>

export interface PolicyOwner {
  readonly scope: (typeof policyScopes)[number]
  readonly target?: string
}

export function readOwner(args: Arguments<'scope' | 'target'>): PolicyOwner {
  const target = args.text('target')
  const text = args.text('scope') ?? 'hub'
  const scope = policyScopes.find((each) => each === text)
  if (!scope) throw new CliError('usage', `--scope takes ${policyScopes.join(', ')}, not "${text}".`)
  if (scope === 'hub' && target !== undefined) {
    throw new CliError('usage', `--target "${target}" needs a scope. Add --scope template or --scope session.`)
  }
  if (scope !== 'hub' && target === undefined)
    throw new CliError('usage', `--scope ${scope} needs a target. Add --target NAME.`)
  return { scope, ...(target !== undefined && { target }) }
}

export function readNumber<FlagName extends string>(args: Arguments<FlagName>, flag: FlagName): number | undefined {
  const text = args.text(flag)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new CliError('usage', `--${flag} takes a number, not "${text}".`)
  return Number(text)
}

/** The name in messages: `the policy of the template codex`. */
export function nameOwner({ scope, target }: PolicyOwner): string {
  return target === undefined ? 'the policy of the hub' : `the policy of the ${scope} ${target}`
}

export const policyAnswer = z.looseObject({
  source: z.string(),
  version: z.number(),
  origin: z.enum(['saved', 'shipped', 'template-file', 'none']),
  default: z.enum(effects).optional(),
  rules: z.array(z.looseObject({ name: z.string() })),
  saved_at: z.string().optional(),
  saved_by: z.string().optional(),
  fault: z.string().optional(),
})
export type PolicyAnswer = z.output<typeof policyAnswer>
