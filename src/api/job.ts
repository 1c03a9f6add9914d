/** A one-off command or an agent in the queue (API, "Job"). */
import { z } from 'zod'

export const jobStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

export const jobSchema = z.object({
  id: z.string(),
  session: z.string(),
  command: z.string(),
  prompt: z.string().optional().describe('The prompt of an agent.'),
  status: z.enum(jobStatuses),
  priority: z.int(),
  position: z.int().optional().describe('How many jobs are ahead of it while it waits.'),
  created_at: z.string(),
  started_at: z.string().optional(),
  ended_at: z.string().optional(),
  exit_code: z.int().optional(),
})
export type Job = z.output<typeof jobSchema>
