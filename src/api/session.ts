/** A session as clients of the hub see it (API, "Session"). */
import { z } from 'zod'
import { matrixStatusSchema } from './chat.ts'
import { confinedSchema } from './sandbox.ts'
import { sessionStatuses } from './session-status.ts'
import { maxSize } from '../base/terminal-size.ts'
import { usageSchema } from './thread.ts'

export { isOver, livingStatuses, sessionStatuses } from './session-status.ts'
export type { SessionStatus } from './session-status.ts'

/** The activities of a session. */
export const activityKinds = ['working', 'waiting', 'idle', 'unknown'] as const
export type ActivityKind = (typeof activityKinds)[number]

/** How the hub knows the activity, the best source first. */
export const activitySources = ['approval', 'agent', 'screen', 'quiet', 'exit', 'none'] as const

export const activitySchema = z.object({
  is: z.enum(activityKinds),
  since: z.string(),
  reason: z.string().optional().describe('For waiting: what for.'),
  source: z
    .enum(activitySources)
    .describe(
      'approval: a call of its agent waits for one; agent: it reported it; screen: a rule; quiet: no output for a while.',
    ),
  confidence: z.number().min(0).max(1),
})
export type Activity = z.output<typeof activitySchema>

/** The activity of a program, as far as it is known. */
export interface ActivityView {
  current(): Activity
  /** Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}

/** The activities that an agent can report about itself. */
export const reportedKinds = ['working', 'waiting', 'idle'] as const
export interface AgentReport {
  readonly is: (typeof reportedKinds)[number]
  /** The reason for waiting, if the agent waits. */
  readonly reason?: string | undefined
}

export const sessionNameSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    'a name has lowercase letters, digits and dashes, at most 40, such as "fix-tests"',
  )

export const sizeSchema = z.strictObject({
  cols: z.int().min(2).max(maxSize.cols),
  rows: z.int().min(1).max(maxSize.rows),
})
export type TerminalSize = z.output<typeof sizeSchema>

const terminalSchema = z.object({
  size: sizeSchema,
  log_path: z.string().describe('The folder of its journal: raw bytes in segments, and their index.'),
  recording_path: z.string().describe('Where its asciicast is, or will be after an export.'),
  tools: z.array(z.string()).describe('The terminal tools its agent may use.'),
})

/** How a session shows its agent: its own terminal interface, the thread alone, or both. */
export const sessionModes = ['terminal', 'structured', 'both'] as const
export type SessionMode = (typeof sessionModes)[number]

/** Whether the tools that are built into the agent are under the policy. */
export const governedSchema = z.object({
  is: z.enum(['yes', 'partly', 'no']),
  reason: z.string().optional(),
  unproven: z.literal(true).optional().describe('The gate is set up, but nothing has shown yet that it works.'),
})
export type Governed = z.output<typeof governedSchema>

/** A question that the agent asks by its own protocol. */
export const questionSchema = z.object({
  id: z.string(),
  text: z.string(),
  choices: z.array(z.string()).optional(),
})
export type Question = z.output<typeof questionSchema>

export const sessionSchema = z.object({
  id: z.string(),
  name: z.string(),
  template: z.string(),
  command: z.string(),
  args: z.array(z.string()).optional(),
  agent_args: z.array(z.string()).optional().describe('The extra flags of its agent.'),
  model: z.string().optional().describe('The model that was chosen for it.'),
  session_type: z.enum(['long_running', 'one_off']),
  status: z.enum(sessionStatuses),
  activity: activitySchema,
  approvals_pending: z.int().describe('How many of its calls wait for an approval.'),
  created_at: z.string(),
  updated_at: z.string(),
  workspace_path: z.string(),
  branch: z.string().optional().describe('The git branch of its workspace.'),
  terminal: terminalSchema.optional().describe('Absent if it has none.'),
  log_path: z.string().describe('As in terminal.'),
  recording_path: z.string().describe('As in terminal.'),
  description: z.string().optional(),
  labels: z.array(z.string()),
  job_id: z.string().optional(),
  pid: z.number().optional(),
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  last_message: z.string().optional().describe('What a person should know about it.'),
  can_resume: z.boolean().describe('It has ended, and resume_session can continue its conversation.'),
  can_release: z.boolean().optional().describe('It runs in tmux, where release_session leaves it.'),
  resumed_from: z.string().optional().describe('The id of the session whose conversation it continues.'),
  size: sizeSchema.describe('As in terminal.'),
  terminal_tools: z.array(z.string()).describe('As in terminal, tools.'),
  session_url: z.string(),
  mode: z.enum(sessionModes),
  thread: z.string().optional().describe('The id of its newest thread.'),
  usage: usageSchema.optional().describe('Of its turns that have ended.'),
  governed: governedSchema.optional().describe('Whether the policy covers the tools built into its agent.'),
  confined: confinedSchema.optional().describe('How it is confined. Absent: it can read all your files.'),
  question: questionSchema.optional().describe('For answer_question.'),
  matrix: matrixStatusSchema.optional().describe('The Matrix room that its chat is bridged to.'),
  mcp_socket: z.string().optional().describe('The path of its unix socket, for "signalbox relay".'),
})
export type Session = z.output<typeof sessionSchema>
