// @ts-check
/** The home page: the live list of sessions, and the status of the hub. */
import { untilAnswered } from './backoff.js'
import { element, find } from './elements.js'
import { createLoginForm } from './login-form.js'
import { createMcpClient } from './mcp-client.js'
import { keepUpToDate } from './notices.js'
import { showSessions } from './session-list.js'
import { forgetToken, readToken } from './token.js'

/** @typedef {import('./mcp-client.js').Json} Json */

const state = find('state', HTMLElement)
let shown = new AbortController()

const login = createLoginForm(() => void show(), ask)
find('logout', HTMLButtonElement).addEventListener('click', () => {
  forgetToken()
  void show()
})
void login.begin()

async function show() {
  shown.abort()
  shown = new AbortController()
  const { signal } = shown
  const token = readToken()
  if (!token) return ask('Not logged in.')
  const client = createMcpClient(token)
  const onLost = (/** @type {Error} */ { message }) => report(`${message} Trying again …`, 'asking')
  try {
    present(await untilAnswered(() => client.call('hub_status', {}, signal), { signal, onLost }))
    await keepUpToDate({
      client,
      signal,
      async read() {
        showSessions(await client.call('list_sessions', {}, signal))
        report('The hub is ready.', 'ready')
      },
      onLost,
    })
  } catch (error) {
    if (!signal.aborted) ask(/** @type {Error} */ (error).message)
  }
}

/** @param {string} why */
function ask(why) {
  report(why, 'asking')
  login.show()
  find('hub', HTMLElement).hidden = true
}

/** @param {Json} status */
function present(status) {
  report('The hub is ready.', 'ready')
  login.hide()
  find('hub', HTMLElement).hidden = false
  find('address', HTMLElement).textContent = new URL('mcp', location.href).href
  const rows = {
    Version: status.version,
    Since: new Date(status.started_at).toLocaleString(),
    Store: status.store,
    Connections: status.connections,
    Events: status.events,
  }
  find('status', HTMLElement).replaceChildren(
    ...Object.entries(rows).flatMap(([name, value]) => [
      element('dt', { textContent: name }),
      element('dd', { textContent: String(value) }),
    ]),
  )
}

/** @type {(words: string, is: 'ready' | 'asking') => void} */
function report(words, is) {
  state.textContent = words
  state.dataset.is = is
}
