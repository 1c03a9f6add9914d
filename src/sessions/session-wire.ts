/** A session as everybody outside sees it. */
import { join } from 'node:path'
import type { Activity, Session } from '../api/session.ts'
import type { SessionRecord } from './session-store.ts'

export interface SessionSurroundings {
  readonly activity: Activity
  readonly pid: number | undefined
  readonly directory: string
  readonly url: string
  readonly socketPath: string | undefined
}

export function toWire(record: SessionRecord, around: SessionSurroundings): Session {
  const { activity, pid, directory, url, socketPath } = around
  const { args, description, jobId, exitCode, exitSignal, lastMessage } = record
  return {
    id: record.id,
    name: record.name,
    template: record.template,
    command: record.command,
    ...(args && { args: [...args] }),
    session_type: record.sessionType,
    status: record.status,
    activity,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    workspace_path: record.workspacePath,
    log_path: join(directory, 'journal'),
    recording_path: join(directory, 'recording.cast'),
    ...(description !== undefined && { description }),
    labels: [...record.labels],
    ...(jobId !== undefined && { job_id: jobId }),
    ...(pid !== undefined && { pid }),
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(exitSignal !== undefined && { signal: exitSignal }),
    ...(lastMessage !== undefined && { last_message: lastMessage }),
    size: { ...record.size },
    terminal_tools: [...record.terminalTools],
    session_url: url,
    ...(socketPath !== undefined && { mcp_socket: socketPath }),
  }
}
