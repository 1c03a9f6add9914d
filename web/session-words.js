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

/** What its mark is coloured by. @param {Json} session */
export function moodOf({ status, activity }) {
  return status === 'running' && activity.is === 'waiting' ? 'waiting' : status
}

/** What it is doing, and what one should know besides. @param {Json} session */
export function describeDoing(session) {
  if (isOver(session)) return describeEnd(session)
  const { is, reason } = session.activity
  const activity = is === 'unknown' ? session.description : reason ? `${is}: ${reason}` : is
  return [activity, session.last_message].filter(Boolean).join(' · ')
}

/** @param {Json} session */
export function describeEnd({ last_message: message, exit_code: code, signal }) {
  if (message) return message
  if (signal) return `It was ended by ${signal}.`
  return code === undefined ? '' : `It ended with exit code ${code}.`
}
