/** The status of a session. It has a file of its own, so that code can use it without loading zod. */
export const sessionStatuses = ['queued', 'starting', 'running', 'completed', 'failed', 'stopped'] as const
export type SessionStatus = (typeof sessionStatuses)[number]
export const livingStatuses: readonly SessionStatus[] = sessionStatuses.slice(0, 3)

/** Whether the session has ended for good. */
export function isOver(status: SessionStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped'
}
