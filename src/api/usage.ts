/** The tokens and cost of agents' turns, by day and by session (API, "get_usage"). */
import { z } from 'zod'
import { type Usage, usageSchema } from './thread.ts'

export const usageGroups = ['day', 'session', 'day_and_session'] as const
export type UsageGroup = (typeof usageGroups)[number]

export const usageRowSchema = z.object({
  day: z.string().optional().describe('Such as 2026-05-31, in the time zone of the request.'),
  session: z.string().optional().describe('Its name. It may be gone.'),
  session_id: z.string().optional(),
  turns: z.int(),
  ...usageSchema.shape,
})
export type UsageRow = z.output<typeof usageRowSchema>

/** The time between two moments in ISO 8601 UTC; the second one is not part of it. */
export interface UsageQuery {
  readonly since: string
  readonly until?: string | undefined
  readonly by: UsageGroup
  /** An IANA name, such as Europe/Berlin. A day begins at its midnight. */
  readonly timeZone: string
}

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0 }

export function addUsage(one: Usage, other: Usage): Usage {
  const cost = one.cost_usd === undefined ? other.cost_usd : one.cost_usd + (other.cost_usd ?? 0)
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    // Rounded to billionths, or the sum of 0.1 and 0.2 would be 0.30000000000000004.
    ...(cost !== undefined && { cost_usd: Math.round(cost * 1e9) / 1e9 }),
  }
}
