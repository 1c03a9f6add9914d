// @ts-check
/** Short texts about a session. */

/** @typedef {import('./mcp-client.js').Json} Json */

const over = new Set(['completed', 'failed', 'stopped'])

/** @param {Json} session */
export function isOver({ status }) {
  return over.has(status)
}

/** The session has no terminal yet. @param {Json} session */
export function isNotStarted({ status }) {
  return status === 'queued' || status === 'starting'
}

/** The status by which its chip is coloured. @param {Json} session */
export function displayStatus({ status, activity }) {
  return status === 'running' && activity.is === 'waiting' ? 'waiting' : status
}

/** Its activity, its last message, and whether the policy covers its agent's own tools. @param {Json} session */
export function describeActivity(session) {
  if (isOver(session)) return describeEnd(session)
  const { is, reason } = session.activity
  const activity = is === 'unknown' ? session.description : reason ? `${is}: ${reason}` : is
  return [activity, session.last_message, describeGoverned(session)].filter(Boolean).join(' · ')
}

/** @param {Json} session */
function describeGoverned({ governed }) {
  if (!governed) return ''
  return governed.reason ? `governed: ${governed.is} (${governed.reason})` : `governed: ${governed.is}`
}

/** @param {Json} session */
export function describeEnd({ last_message: message, exit_code: code, signal }) {
  if (message) return message
  if (signal) return `It was ended by ${signal}.`
  return code === undefined ? '' : `It ended with exit code ${code}.`
}
