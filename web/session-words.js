// @ts-check
/** What a person is told of a session, in few words. */

/** @typedef {import('./mcp-client.js').Json} Json */

const over = new Set(['completed', 'failed', 'stopped'])

/** @param {Json} session */
export function isOver({ status }) {
  return over.has(status)
}

/** It has no terminal yet. @param {Json} session */
export function isAhead({ status }) {
  return status === 'queued' || status === 'starting'
}

/** @param {Json} session */
export function describeStatus({ status, exit_code: code, signal }) {
  if (!over.has(status)) return status
  if (signal) return `${status}, by ${signal}`
  return code === undefined ? status : `${status}, exit code ${code}`
}

/** @param {Json} session */
export function describeActivity(session) {
  const { is, reason } = session.activity
  if (isOver(session) || is === 'unknown') return session.last_message ?? session.description ?? ''
  return reason ? `${is}: ${reason}` : is
}
