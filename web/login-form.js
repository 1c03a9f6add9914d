// @ts-check
/** Asks for a token where there is none, or none that is any good. */
import { find } from './elements.js'
import { keepToken, takeTokenFromAddress } from './token.js'

/** @param {() => void} onLogin called when a token was given, by hand or by a link opened in this tab */
export function createLoginForm(onLogin) {
  const form = find('login', HTMLFormElement)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const token = find('token', HTMLInputElement)
    keepToken(token.value.trim(), { onDevice: find('stay', HTMLInputElement).checked })
    token.value = ''
    onLogin()
  })
  // The printed link, opened in a tab that shows the page already, changes nothing but the fragment.
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
