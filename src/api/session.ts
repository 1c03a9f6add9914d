/** A session as everybody outside the hub sees it (API, "Session"). */
import { z } from 'zod'

/** Where a session is in its life. */
export const sessionStatuses = ['queued', 'starting', 'running', 'completed', 'failed', 'stopped'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** What it is doing now. */
export const activityKinds = ['working', 'waiting', 'idle', 'unknown'] as const
export type ActivityKind = (typeof activityKinds)[number]

/** How the hub knows, the best first. */
export const activitySources = ['agent', 'screen', 'quiet', 'exit', 'none'] as const

export const activitySchema = z.object({
  is: z.enum(activityKinds),
  since: z.string(),
  reason: z.string().optional().describe('For waiting: what for.'),
  source: z
    .enum(activitySources)
    .describe('agent: it said so; screen: a rule; quiet: nothing was printed for a while.'),
  confidence: z.number().min(0).max(1),
})
export type Activity = z.output<typeof activitySchema>

export const sessionNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'a name is small letters, digits and dashes, at most 40, such as "fix-tests"')

export const sizeSchema = z.strictObject({ cols: z.int().min(2).max(500), rows: z.int().min(1).max(300) })
export type TerminalSize = z.output<typeof sizeSchema>

export const sessionSchema = z.object({
  id: z.string(),
  name: z.string(),
  template: z.string(),
  command: z.string(),
  args: z.array(z.string()).optional(),
  session_type: z.enum(['long_running', 'one_off']),
  status: z.enum(sessionStatuses),
  activity: activitySchema,
  created_at: z.string(),
  updated_at: z.string(),
  workspace_path: z.string(),
  log_path: z.string().describe('The folder of its journal: raw bytes in segments, and their index.'),
  recording_path: z.string().describe('Where its asciicast is, or will be after an export.'),
  description: z.string().optional(),
  labels: z.array(z.string()),
  job_id: z.string().optional(),
  pid: z.number().optional(),
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  last_message: z.string().optional().describe('What a person should know of it.'),
  size: sizeSchema,
  terminal_tools: z.array(z.string()).describe('The terminal tools its agent may use.'),
  session_url: z.string(),
  mcp_socket: z.string().optional().describe('The path of its unix socket, for "signalbox relay".'),
})
export type Session = z.output<typeof sessionSchema>

/** It has ended, and does not come back. */
export function isOver(status: SessionStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped'
}
