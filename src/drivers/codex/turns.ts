/** The turns of a Codex thread, and how they end. */
import { z } from 'zod'
import type { NewEntry, TurnStatus, Usage } from '../../api/thread.ts'
import { agentId } from '../port/agent-id.ts'
import type { FailureKind } from '../port/turn-failure.ts'
import { explainFailure } from '../port/turn-failure.ts'

const errorSchema = z.object({
  message: z.string(),
  codexErrorInfo: z.unknown().optional(),
  additionalDetails: z.string().nullish(),
})
type TurnError = z.output<typeof errorSchema>

export const turnSchema = z.object({
  id: agentId,
  items: z.array(z.unknown()),
  status: z.enum(['completed', 'interrupted', 'failed', 'inProgress']),
  error: errorSchema.nullish(),
  completedAt: z.number().nullish(),
})
export type Turn = z.output<typeof turnSchema>

export const tokensSchema = z.object({ inputTokens: z.int(), outputTokens: z.int() })
export type Tokens = z.output<typeof tokensSchema>

/** `undefined`: the turn has not ended. */
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

/** Codex reports the last turn as interrupted until its end is recorded, even if that is about to happen. */
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
  const kind = typeof codexErrorInfo === 'string' ? kinds[codexErrorInfo] : undefined
  const said = [message, additionalDetails].filter((part) => part != null && part !== '').join(' ')
  return explainFailure(said, remedies, kind)
}

const remedies = {
  login: 'sign in with "codex login" on this machine, or set OPENAI_API_KEY for the hub.',
  contextFull: 'run /compact in its terminal, or start another session.',
}

const kinds: Readonly<Record<string, FailureKind>> = {
  contextWindowExceeded: 'context-full',
  usageLimitExceeded: 'rate-limit',
  rateLimitExceeded: 'rate-limit',
  serverOverloaded: 'rate-limit',
  unauthorized: 'login',
}
