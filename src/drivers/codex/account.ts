/** Whether Codex has an account to work with. */
import { z } from 'zod'

/** As `account/read` answers. */
export const accountSchema = z.object({ account: z.unknown().optional(), requiresOpenaiAuth: z.boolean() })

export function needsSignIn({ account, requiresOpenaiAuth }: z.output<typeof accountSchema>): boolean {
  return requiresOpenaiAuth && account == null
}

export const signInReason =
  'Codex wants you to sign in: run "codex login" on this machine, or set OPENAI_API_KEY for the hub.'
