// @ts-check
/** Asks for a token if there is none, or if the hub rejects it. */
import { find } from './elements.js'
import { keepToken, takeTokenFromAddress } from './token.js'

/** @param {() => void} onLogin called when a person enters a token, or opens a link with one in this tab */
export function createLoginForm(onLogin) {
  const form = find('login', HTMLFormElement)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const token = find('token', HTMLInputElement)
    keepToken(token.value.trim(), { onDevice: find('stay', HTMLInputElement).checked })
    token.value = ''
    onLogin()
  })
  // If the printed link is opened in a tab that already shows the page, only the fragment changes.
  addEventListener('hashchange', () => {
    takeTokenFromAddress()
    onLogin()
  })
  takeTokenFromAddress()
  return {
    show: () => void (form.hidden = false),
    hide: () => void (form.hidden = true),
  }
}
