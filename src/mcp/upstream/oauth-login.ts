/** One connector's login: its token, how that is got anew, and the person's way there and back. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthOptions, OAuthClientProvider } from '@modelcontextprotocol/client'
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Challenge, HttpAuth } from './http-client.ts'
import type { CredentialsFile } from './oauth-file.ts'

export interface Login extends HttpAuth {
  /** Whether a person who comes back with this went there from here. */
  isOf(state: string): boolean
  finish(code: string, issuer: string | undefined): Promise<void>
  /** Where a person has to go, while one has to. */
  readonly pending: string | undefined
  forget(): void
}

export interface LoginOptions {
  readonly connector: string
  readonly url: string
  readonly redirectUrl: string
  readonly file: CredentialsFile
  readonly onLoginWanted: (connector: string, address: string) => void
}

/** As long as a person may take. Meanwhile nobody begins another login, which would make theirs worthless. */
const loginWithinMs = 10 * 60_000

export function createLogin(options: LoginOptions): Login {
  const { connector, url, redirectUrl, file, onLoginWanted } = options
  let token = file.read().tokens?.access_token
  let renewing: Promise<void> | undefined

  function begunLogin() {
    const { login } = file.read()
    return login && Date.now() - login.at < loginWithinMs ? login : undefined
  }

  async function authorize(how: Omit<AuthOptions, 'serverUrl'>): Promise<void> {
    // Loaded by those alone who need it: it is large.
    const { auth } = await import('@modelcontextprotocol/client')
    let result: Awaited<ReturnType<typeof auth>>
    try {
      result = await auth(createProvider({ redirectUrl, file }), { serverUrl: url, ...how })
    } catch (error) {
      throw new HubError(
        'unavailable',
        `The login of "${connector}" failed: ${messageOf(error).replace(/\.$/, '')}. ` +
          'If its upstream offers no login, put a token into the headers of the connector.',
        { cause: error },
      )
    }
    token = file.read().tokens?.access_token
    if (result === 'AUTHORIZED') return
    const address = begunLogin()?.address
    if (address !== undefined) onLoginWanted(connector, address)
    throw personNeeded()
  }

  async function renew({ status, demand }: Challenge): Promise<void> {
    if (begunLogin()) throw personNeeded()
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
    const headers = { 'www-authenticate': demand ?? '' }
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(new Response(null, { status, headers }))
    await authorize({
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
      // A refreshed token has no more rights than the one before.
      forceReauthorization: status === 403,
    })
  }

  function personNeeded(): HubError {
    return new HubError(
      'unauthorized',
      `A person has to log in at the upstream of "${connector}" first. "signalbox connectors test ${connector}" says where.`,
    )
  }

  return {
    get token() {
      return token
    },
    renew: (challenge) => (renewing ??= renew(challenge).finally(() => (renewing = undefined))),
    isOf(state) {
      const login = begunLogin()
      return login !== undefined && isEqual(login.state, state)
    },
    async finish(code, issuer) {
      try {
        await authorize({ authorizationCode: code, ...(issuer !== undefined && { iss: issuer }) })
      } finally {
        file.change({ login: undefined })
      }
    },
    get pending() {
      return begunLogin()?.address
    },
    forget() {
      token = undefined
      file.remove()
    },
  }
}

function createProvider({ redirectUrl, file }: Pick<LoginOptions, 'redirectUrl' | 'file'>): OAuthClientProvider {
  let state = ''
  let verifier = ''
  return {
    redirectUrl,
    clientMetadata: { client_name: 'Signalbox', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    state: () => (state = randomBytes(32).toString('base64url')),
    clientInformation: () => file.read().client,
    saveClientInformation: (client) => file.change({ client }),
    tokens: () => file.read().tokens,
    saveTokens: (tokens) => file.change({ tokens }),
    saveCodeVerifier: (made) => void (verifier = made),
    codeVerifier: () => file.read().login?.verifier ?? '',
    redirectToAuthorization: (address) =>
      file.change({ login: { state, verifier, address: address.href, at: Date.now() } }),
    saveDiscoveryState: (discovery) => file.change({ discovery }),
    discoveryState: () => file.read().discovery,
    invalidateCredentials(scope) {
      if (scope === 'all') file.remove()
      else if (scope === 'verifier') file.change({ login: undefined })
      else file.change({ [scope]: undefined })
    },
  }
}

function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
