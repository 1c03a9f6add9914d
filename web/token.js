// @ts-check
/** The token of the person at the page: kept for this tab, or for this device on request. */
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

/** Takes the token out of a printed login link, so that address bar and history do not keep it. */
export function takeTokenFromAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (!token) return
  keepToken(token)
  history.replaceState(null, '', location.pathname)
}
