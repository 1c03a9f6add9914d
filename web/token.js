// @ts-check
/** The token of the person at the page: kept for this tab, or for this device on request. */
import { exchangeCode } from './login-code.js'

const key = 'signalbox-token'

/** @returns {string | null} */
export function readToken() {
  return sessionStorage.getItem(key) ?? localStorage.getItem(key)
}

/** @type {(token: string, options?: { onDevice?: boolean }) => void} */
export function keepToken(token, { onDevice = false } = {}) {
  sessionStorage.setItem(key, token)
  if (onDevice) localStorage.setItem(key, token)
}

export function forgetToken() {
  sessionStorage.removeItem(key)
  localStorage.removeItem(key)
}

/**
 * Takes the token or the one-time code out of a printed login link, so that address bar and history do not keep it.
 * @returns {Promise<string | undefined>} why the code was refused
 */
export async function takeLoginFromAddress() {
  const login = new URLSearchParams(location.hash.slice(1))
  const [token, code] = [login.get('token'), login.get('code')]
  if (!token && !code) return undefined
  history.replaceState(null, '', location.pathname)
  const answer = token ? { token } : await exchangeCode(String(code))
  if ('refused' in answer) return answer.refused
  keepToken(answer.token)
  return undefined
}
