/** The arguments and the result of waiting for a terminal. */
import { z } from 'zod'
import { activitySchema, sessionStatuses } from './session.ts'

export const waitKinds = ['text', 'regex', 'idle', 'waiting', 'exit'] as const
export type WaitKind = (typeof waitKinds)[number]

export const maxWaitMs = 600_000

export const timeoutSchema = z.int().min(0).max(maxWaitMs).default(30_000).describe('0: look once.')

export const waitInput = {
  for: z.enum(waitKinds).describe('idle: also met by its end. waiting: for a person.'),
  value: z.string().min(1).max(1_000).optional().describe('The text, or the regular expression (RE2, line by line).'),
  since: z
    .int()
    .min(0)
    .optional()
    .describe('Only output from this offset on counts. Default: the current screen and later output.'),
  timeout_ms: timeoutSchema,
}
export const waitInputSchema = z.strictObject(waitInput)
export type WaitInput = z.output<typeof waitInputSchema>

export const waitOutputSchema = z.object({
  met: z.boolean(),
  reason: z.enum(['screen', 'output', 'activity', 'exit', 'timeout']).describe('What ended the wait.'),
  status: z.enum(sessionStatuses),
  activity: activitySchema,
  offset: z.number().describe('The offset of the next byte of output; use it as "since" for later output.'),
  screen: z.string(),
})
export type WaitOutput = z.output<typeof waitOutputSchema>
