// @ts-check
/** Asks for a token if there is none, or if the hub rejects it. */
import { find } from './elements.js'
import { keepToken, readToken, takeLoginFromAddress } from './token.js'

/**
 * @param {() => void} onLogin called at the start, and when a person enters a token or opens a login link in this tab
 * @param {(why: string) => void} onRefused called when the code of a login link is refused and there is no token
 */
export function createLoginForm(onLogin, onRefused) {
  const form = find('login', HTMLFormElement)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const token = find('token', HTMLInputElement)
    keepToken(token.value.trim(), { onDevice: find('stay', HTMLInputElement).checked })
    token.value = ''
    onLogin()
  })
  // If the printed link is opened in a tab that already shows the page, only the fragment changes.
  addEventListener('hashchange', () => void begin())

  async function begin() {
    const why = await takeLoginFromAddress()
    if (why !== undefined && !readToken()) onRefused(why)
    else onLogin()
  }

  return {
    begin,
    show: () => void (form.hidden = false),
    hide: () => void (form.hidden = true),
  }
}
