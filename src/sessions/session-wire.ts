/** A session as clients see it. */
import { join } from 'node:path'
import type { MatrixStatus } from '../api/chat.ts'
import type { Activity, Governed, Question, Session } from '../api/session.ts'
import type { Usage } from '../api/thread.ts'
import { isOver } from '../api/session.ts'
import { canResume } from './conversation.ts'
import type { SessionRecord } from './session-store.ts'

export interface SessionSurroundings {
  readonly activity: Activity
  readonly approvalsPending: number
  readonly pid: number | undefined
  readonly hasTerminal: boolean
  readonly directory: string
  readonly url: string
  readonly socketPath: string | undefined
  readonly thread: string | undefined
  readonly usage: Usage | undefined
  readonly branch: string | undefined
  readonly governed: Governed | undefined
  readonly question: Question | undefined
  readonly matrix: MatrixStatus | undefined
}

export function toWire(record: SessionRecord, around: SessionSurroundings): Session {
  const { activity, approvalsPending, pid, hasTerminal, directory, url, socketPath } = around
  const { thread, usage, branch, governed, question, matrix } = around
  const { args, agentArgs, resumedFrom, description, jobId, exitCode, exitSignal, lastMessage } = record
  const model = record.model ?? modelIn(agentArgs)
  const terminal = {
    size: { ...record.size },
    log_path: join(directory, 'journal'),
    recording_path: join(directory, 'recording.cast'),
    tools: [...record.terminalTools],
  }
  return {
    id: record.id,
    name: record.name,
    template: record.template,
    command: record.command,
    ...(args && { args: [...args] }),
    ...(agentArgs.length > 0 && { agent_args: [...agentArgs] }),
    ...(model !== undefined && { model }),
    session_type: record.sessionType,
    status: record.status,
    activity,
    approvals_pending: approvalsPending,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    workspace_path: record.workspacePath,
    ...(branch !== undefined && { branch }),
    ...(hasTerminal && { terminal }),
    log_path: terminal.log_path,
    recording_path: terminal.recording_path,
    ...(description !== undefined && { description }),
    labels: [...record.labels],
    ...(jobId !== undefined && { job_id: jobId }),
    ...(pid !== undefined && { pid }),
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(exitSignal !== undefined && { signal: exitSignal }),
    ...(lastMessage !== undefined && { last_message: lastMessage }),
    can_resume: canResume(record),
    ...(record.backend === 'tmux' && !isOver(record.status) && { can_release: true }),
    ...(resumedFrom !== undefined && { resumed_from: resumedFrom }),
    size: terminal.size,
    terminal_tools: terminal.tools,
    session_url: url,
    mode: record.mode,
    ...(thread !== undefined && { thread }),
    ...(usage && { usage: { ...usage } }),
    ...(governed && { governed }),
    ...(record.confined && { confined: record.confined }),
    ...(question && { question }),
    ...(matrix && { matrix }),
    ...(socketPath !== undefined && { mcp_socket: socketPath }),
  }
}

/** Agents take their model by this flag. */
function modelIn(agentArgs: readonly string[]): string | undefined {
  const flag = agentArgs.lastIndexOf('--model')
  return flag < 0 ? undefined : agentArgs[flag + 1]
}
