/** The summary of a turn: its session, prompt, duration and usage (API, "list_turns"). */
import { z } from 'zod'
import { turnStatuses, usageSchema } from './thread.ts'

export const turnSummarySchema = z.object({
  correlation: z.string().describe('For get_trace.'),
  session: z.string().describe('Its name when the turn began.'),
  session_id: z.string(),
  asked_by: z.string().optional().describe('The session that gave the prompt. Absent: a person did.'),
  number: z.int().optional().describe('Which turn of its thread it is.'),
  thread: z.string().optional(),
  prompt: z.string().optional().describe('The beginning of it.'),
  started_at: z.string(),
  status: z.enum([...turnStatuses, 'running', 'cut']).describe('cut: the session has ended before its turn.'),
  reason: z.string().optional(),
  ms: z.number().optional().describe('Absent: it has not ended.'),
  held_ms: z.number().describe('How long calls waited for a person, until the last answer.'),
  held_since: z.string().optional().describe('A call waits for a person now.'),
  spans: z.int().describe('Turns, calls of models and calls of tools.'),
  sessions: z.int().describe('How many sessions worked in it.'),
  denied: z.int().describe('Calls that a rule or a person did not allow.'),
  routes: z.array(z.string()),
  usage: usageSchema.optional().describe('Of all its sessions.'),
})
export type TurnSummary = z.output<typeof turnSummarySchema>
