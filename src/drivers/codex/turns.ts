/** The turns of a Codex thread, and how they end. */
import { z } from 'zod'
import type { NewEntry, TurnStatus, Usage } from '../../api/thread.ts'

const errorSchema = z.object({
  message: z.string(),
  codexErrorInfo: z.unknown().optional(),
  additionalDetails: z.string().nullish(),
})
type TurnError = z.output<typeof errorSchema>

export const turnSchema = z.object({
  id: z.string(),
  items: z.array(z.unknown()),
  status: z.enum(['completed', 'interrupted', 'failed', 'inProgress']),
  error: errorSchema.nullish(),
  completedAt: z.number().nullish(),
})
export type Turn = z.output<typeof turnSchema>

export const tokensSchema = z.object({ inputTokens: z.int(), outputTokens: z.int() })
export type Tokens = z.output<typeof tokensSchema>

/** `undefined`: the turn goes on. */
export function endOfTurn({ id, status, error, completedAt }: Turn, usage: Usage | undefined): NewEntry | undefined {
  if (status === 'inProgress') return undefined
  const ended: TurnStatus = status
  return {
    type: 'complete',
    key: `turn:${id}`,
    at: new Date(completedAt == null ? Date.now() : completedAt * 1000).toISOString(),
    status: ended,
    ...(error && { reason: reasonOf(error) }),
    ...(usage && { usage }),
  }
}

/** Codex calls the last turn interrupted as long as its end is not recorded, also if it is about to be. */
export function isUncertainEnd({ status }: Turn): boolean {
  return status === 'interrupted'
}

export function usageBetween(before: Tokens, after: Tokens): Usage {
  return {
    input_tokens: Math.max(0, after.inputTokens - before.inputTokens),
    output_tokens: Math.max(0, after.outputTokens - before.outputTokens),
  }
}

function reasonOf({ message, codexErrorInfo, additionalDetails }: TurnError): string {
  const hint = typeof codexErrorInfo === 'string' ? hints[codexErrorInfo] : undefined
  return [message, additionalDetails, hint].filter((part) => part != null && part !== '').join(' ')
}

const hints: Readonly<Record<string, string>> = {
  contextWindowExceeded: 'The context is full: run /compact in its terminal, or start another session.',
  usageLimitExceeded: 'The usage limit of the account is reached. Continue later, or with another account.',
  rateLimitExceeded: 'Try again in a moment.',
  serverOverloaded: 'Try again in a moment.',
  unauthorized: 'Sign in with "codex login".',
}
