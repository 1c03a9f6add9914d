/** The token of the person at the page: kept for this tab, or for this browser on request. */
import { exchangeCode } from './login-code.ts'

const key = 'signalbox-token'

export function readToken(): string | null {
  return sessionStorage.getItem(key) ?? localStorage.getItem(key)
}

export function keepToken(token: string, { inBrowser = false }: { readonly inBrowser?: boolean } = {}): void {
  sessionStorage.setItem(key, token)
  if (inBrowser) localStorage.setItem(key, token)
}

/** Another token that the browser keeps stays. */
export function forgetToken(token: string): void {
  for (const storage of [sessionStorage, localStorage]) if (storage.getItem(key) === token) storage.removeItem(key)
}

/**
 * Takes the token or the one-time code out of a printed login link, so that address bar and history do not keep it.
 * Returns why the code was refused.
 */
export async function takeLoginFromAddress(): Promise<string | undefined> {
  const login = new URLSearchParams(location.hash.slice(1))
  const [token, code] = [login.get('token'), login.get('code')]
  if (!token && !code) return undefined
  history.replaceState(history.state, '', location.pathname)
  const answer = token ? { token } : await exchangeCode(String(code))
  if ('refused' in answer) return answer.refused
  keepToken(answer.token)
  return undefined
}
