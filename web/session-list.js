// @ts-check
/** The sessions, each with the way to its terminal. */
import { element, find } from './elements.js'
import { describeDoing, moodOf } from './session-words.js'

/** @typedef {import('./mcp-client.js').Json} Json */

/** @param {Json} answer of list_sessions */
export function showSessions({ sessions }) {
  find('no-sessions', HTMLElement).hidden = sessions.length > 0
  find('sessions', HTMLElement).replaceChildren(
    ...sessions.map((/** @type {Json} */ session, /** @type {number} */ index) => {
      // A name means the newest that has it, which is listed first; the others have their ids.
      const isNewest = sessions.findIndex((/** @type {Json} */ { name }) => name === session.name) === index
      return row(session, isNewest ? session.name : session.id)
    }),
  )
}

/** @type {(session: Json, address: string) => HTMLElement} */
function row(session, address) {
  const link = element('a', { href: `terminal/${address}`, textContent: session.name })
  const status = element('span', { className: 'chip', textContent: session.status })
  status.dataset.is = moodOf(session)
  const doing = element('span', { className: 'hint', textContent: describeDoing(session) })
  return element('li', {}, [link, status, doing])
}
