/** The login of one connector: its token, how the token is renewed, and the browser login of a person. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthOptions, OAuthClientProvider, StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import { HubError, messageOf } from '../base/hub-error.ts'
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import type { Zone } from '../base/address-zone.ts'
import { isWebAddress } from '../base/web-address.ts'
import type { Challenge, HttpAuth } from './http-client.ts'
import { createOAuthFetch } from './oauth-fetch.ts'
import type { CredentialsFile } from './oauth-file.ts'
import type { OAuthClient } from './upstream-types.ts'

export interface Login extends HttpAuth {
  /** Whether this `state` belongs to a login that started here. */
  isOf(state: string): boolean
  finish(code: string, issuer: string | undefined): Promise<void>
  /** The address that a person has to open, while a login is pending. */
  readonly pending: string | undefined
  forget(): void
}

export interface LoginOptions {
  readonly connector: string
  readonly url: string
  /** The OAuth client to log in as. Without it the hub registers itself. */
  readonly client: OAuthClient | undefined
  readonly redirectUrl: string
  readonly file: CredentialsFile
  readonly onLoginWanted: (connector: string, address: string) => void
}

/** How long a person may take. Until then no other login starts, because it would invalidate this one. */
const loginWithinMs = 10 * 60_000
/** The time limit for all requests to the upstream and its authorization server on the way to a token. */
const authorizeWithinMs = 60_000

export function createLogin(options: LoginOptions): Login {
  const { connector, url, redirectUrl, file, onLoginWanted } = options
  let token = file.read().tokens?.access_token
  let renewing: Promise<void> | undefined

  function begunLogin() {
    const { login } = file.read()
    const isOpen = login && Date.now() - login.at < loginWithinMs && isWebAddress(login.address)
    return isOpen ? login : undefined
  }

  async function authorize(zone: Zone, how: Omit<AuthOptions, 'serverUrl' | 'fetchFn'>): Promise<void> {
    // Imported on demand, because it is large.
    const { auth } = await import('@modelcontextprotocol/client')
    let result: Awaited<ReturnType<typeof auth>>
    try {
      const fetchFn = createOAuthFetch({ upstream: url, zone, signal: AbortSignal.timeout(authorizeWithinMs) })
      result = await auth(createProvider(options, zone), { serverUrl: url, fetchFn, ...how })
    } catch (error) {
      throw new HubError(
        'unavailable',
        `The login of "${connector}" failed: ${messageOf(error).replace(/\.$/, '')}. ${advice(error)}`,
        { cause: error },
      )
    }
    token = file.read().tokens?.access_token
    if (result === 'AUTHORIZED') return
    const address = begunLogin()?.address
    if (address !== undefined) onLoginWanted(connector, address)
    throw personNeeded()
  }

  async function renew({ status, demand, zone }: Challenge): Promise<void> {
    if (begunLogin()) throw personNeeded()
    // The upstream may have moved to another authorization server.
    if (file.read().discovery) file.change({ discovery: undefined })
    const { extractWWWAuthenticateParams, computeScopeUnion } = await import('@modelcontextprotocol/client')
    const headers = { 'www-authenticate': demand ?? '' }
    const demanded = extractWWWAuthenticateParams(new Response(null, { status, headers }))
    const { resourceMetadataUrl } = demanded
    // A request for more rights must name the existing rights, or they are lost.
    const scope = status === 403 ? computeScopeUnion(file.read().tokens?.scope, demanded.scope) : demanded.scope
    await authorize(zone, {
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
      // A refreshed token has no more rights than the old one.
      forceReauthorization: status === 403,
    })
  }

  function advice(error: unknown): string {
    return /client registration/.test(messageOf(error))
      ? `Register a client there that comes back to ${redirectUrl}, and name it in "options.oauth" of the connector.`
      : 'If the upstream offers no login, put a token into the headers of the connector.'
  }

  function personNeeded(): HubError {
    return new HubError(
      'unauthorized',
      `A person has to log in at the upstream of "${connector}" first. Run "signalbox connectors test ${connector}" for the address.`,
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
        // A login that an earlier hub started does not have this field.
        const zone = begunLogin()?.zone ?? 'internet'
        await authorize(zone, { authorizationCode: code, ...(issuer !== undefined && { iss: issuer }) })
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

function createProvider({ redirectUrl, client, file }: LoginOptions, zone: Zone): OAuthClientProvider {
  let state = ''
  let verifier = ''
  return {
    redirectUrl,
    clientMetadata: { client_name: 'Signalbox', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    state: () => (state = randomBytes(32).toString('base64url')),
    clientInformation(place) {
      const kept = file.read().client
      // Only the authorization server of the first login gets the client secret.
      return client ? { issuer: place?.issuer, ...boundTo(kept, client), ...namesOf(client) } : kept
    },
    ...(!client && { saveClientInformation: (made) => file.change({ client: made }) }),
    tokens: () => file.read().tokens,
    saveTokens(tokens, place) {
      // A server that grants exactly the requested scope may leave it out of its answer.
      const { login, tokens: last } = file.read()
      const scope = tokens.scope ?? (login ? scopeIn(login.address) : last?.scope)
      const bound = client && { client: { client_id: client.id, issuer: place?.issuer } }
      file.change({ tokens: { ...tokens, ...(scope !== undefined && { scope }) }, ...bound })
    },
    saveCodeVerifier: (made) => void (verifier = made),
    codeVerifier: () => file.read().login?.verifier ?? '',
    redirectToAuthorization({ href: address, protocol }) {
      if (!isWebAddress(address)) {
        throw new HubError(
          'forbidden',
          `the login page is at a ${protocol} address, and a person is sent to http or https only`,
        )
      }
      if (!isReturnable(address)) throw new TooLongToReturn('The address of the login page')
      file.change({ login: { state, verifier, address, at: Date.now(), zone } })
    },
    saveDiscoveryState: (discovery) => file.change({ discovery }),
    discoveryState: () => file.read().discovery,
    invalidateCredentials(scope) {
      if (scope === 'all') file.remove()
      else if (scope === 'verifier') file.change({ login: undefined })
      else file.change({ [scope]: undefined })
    },
  }
}

function scopeIn(address: string): string | undefined {
  return new URL(address).searchParams.get('scope') ?? undefined
}

function namesOf({ id, secret }: OAuthClient) {
  return { client_id: id, ...(secret !== undefined && { client_secret: secret }) }
}

function boundTo(kept: StoredOAuthClientInformation | undefined, { id }: OAuthClient) {
  return kept?.client_id === id && kept.issuer !== undefined ? { issuer: kept.issuer } : {}
}

function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
