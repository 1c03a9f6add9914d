// @ts-check
/** The token of whoever looks at the page: kept for this tab, or for this device where they ask for it. */
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

/** Takes the token out of a link that was printed for logging in; address bar and history need not keep it. */
export function takeTokenFromAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (!token) return
  keepToken(token)
  history.replaceState(null, '', location.pathname)
}
