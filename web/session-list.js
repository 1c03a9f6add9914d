// @ts-check
/** The list of sessions, each with a link to its terminal. */
import { element, find } from './elements.js'
import { describeActivity, displayStatus } from './session-text.js'

/** @typedef {import('./mcp-client.js').Json} Json */

/** @param {Json} answer of list_sessions */
export function showSessions({ sessions }) {
  find('no-sessions', HTMLElement).hidden = sessions.length > 0
  find('sessions', HTMLElement).replaceChildren(
    ...sessions.map((/** @type {Json} */ session, /** @type {number} */ index) => {
      // A name refers to its newest session, which is listed first. The others are linked by id.
      const isNewest = sessions.findIndex((/** @type {Json} */ { name }) => name === session.name) === index
      return row(session, isNewest ? session.name : session.id)
    }),
  )
}

/** @type {(session: Json, address: string) => HTMLElement} */
function row(session, address) {
  const link = element('a', { href: `terminal/${address}`, textContent: session.name })
  const status = element('span', { className: 'chip', textContent: session.status })
  status.dataset.is = displayStatus(session)
  const activity = element('span', { className: 'hint', textContent: describeActivity(session) })
  return element('li', {}, [link, status, activity])
}
