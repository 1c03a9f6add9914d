/**
 * OAuth logins at upstreams, with the SDK's client. A refused token is refreshed. If that fails, a person has to log in
 * and comes back with a code. All sessions of a connector share one login, because a refresh token can be used only
 * once.
 */
import { isDeepStrictEqual } from 'node:util'
import { HubError } from '../base/hub-error.ts'
import type { HttpAuth } from './http-client.ts'
import { hasTokens, listCredentials, openCredentialsFile } from './oauth-file.ts'
import type { Login } from './oauth-login.ts'
import { createLogin } from './oauth-login.ts'
import type { OAuthClient } from './upstream-types.ts'

export interface UpstreamLogins {
  /** Returns the auth for a transport to this connector's upstream. */
  of(connector: LoginPlace): HttpAuth
  /** A person came back from the login. Returns the name of the connector. */
  finish(answer: { readonly code: string; readonly state: string; readonly issuer?: string }): Promise<string>
  /** The address that a person has to open, while a login is pending. */
  pending(connector: string): string | undefined
  /** Whether a person has logged in. */
  isKept(connector: string): boolean
  forget(connector: string): void
}

export interface LoginPlace {
  readonly name: string
  readonly url: string
  readonly client?: OAuthClient | undefined
}

export interface UpstreamLoginsOptions {
  /** The directory of the credential files. */
  readonly directory: string
  /** The URL that people come back to. */
  readonly redirectUrl: string
  readonly onLoginWanted: (connector: string, address: string) => void
}

export function createUpstreamLogins(options: UpstreamLoginsOptions): UpstreamLogins {
  const logins = new Map<string, { readonly place: LoginPlace; readonly login: Login }>()

  function of(place: LoginPlace): Login {
    const { name, url, client } = place
    const known = logins.get(name)
    if (known && isDeepStrictEqual(known.place, place)) return known.login
    const file = openCredentialsFile({ directory: options.directory, connector: name, url })
    const login = createLogin({ ...options, connector: name, url, client, file })
    logins.set(name, { place, login })
    return login
  }

  return {
    of,
    async finish({ code, state, issuer }) {
      // The hub may have restarted while the person was away.
      for (const kept of listCredentials(options.directory)) if (!logins.has(kept.name)) of(kept)
      for (const [name, { login }] of logins) {
        if (!login.isOf(state)) continue
        await login.finish(code, issuer)
        return name
      }
      throw new HubError('not-found', 'This login is no longer pending. Start it again.')
    },
    pending: (connector) => logins.get(connector)?.login.pending,
    isKept: (connector) => hasTokens(options.directory, connector),
    forget(connector) {
      logins.get(connector)?.login.forget()
      logins.delete(connector)
      // This also removes credentials of a connector that was not used since the hub started.
      openCredentialsFile({ directory: options.directory, connector, url: '' }).remove()
    },
  }
}
