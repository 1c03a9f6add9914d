/**
 * Logins at upstreams that want OAuth, by the SDK's client. A token that is refused is refreshed; where that does not do, a
 * person is sent to log in, and comes back with a code. One for all: a refresh token is good for one use, however many
 * sessions share the connector.
 */
import { isDeepStrictEqual } from 'node:util'
import { HubError } from '../../base/hub-error.ts'
import type { HttpAuth } from './http-client.ts'
import { listCredentials, openCredentialsFile } from './oauth-file.ts'
import type { Login } from './oauth-login.ts'
import { createLogin } from './oauth-login.ts'
import type { OAuthClient } from './upstream.ts'

export interface UpstreamLogins {
  /** What a transport to this connector's upstream needs. */
  of(connector: LoginPlace): HttpAuth
  /** A person came back. Answers whose login it was. */
  finish(answer: { readonly code: string; readonly state: string; readonly issuer?: string }): Promise<string>
  /** Where a person has to go, while one has to. */
  pending(connector: string): string | undefined
  forget(connector: string): void
}

export interface LoginPlace {
  readonly name: string
  readonly url: string
  readonly client?: OAuthClient | undefined
}

export interface UpstreamLoginsOptions {
  /** Where credentials are kept. */
  readonly directory: string
  /** Where people come back to. */
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
      // The hub may have been started anew while the person was away.
      for (const kept of listCredentials(options.directory)) if (!logins.has(kept.name)) of(kept)
      for (const [name, { login }] of logins) {
        if (!login.isOf(state)) continue
        await login.finish(code, issuer)
        return name
      }
      throw new HubError('not-found', 'Nobody waits for this login any more. Begin it again.')
    },
    pending: (connector) => logins.get(connector)?.login.pending,
    forget(connector) {
      logins.get(connector)?.login.forget()
      logins.delete(connector)
    },
  }
}
