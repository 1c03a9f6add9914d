/** An upstream that requires OAuth, with its authorization server: codes, single-use refresh tokens, PKCE. */
import { createHash, randomUUID } from 'node:crypto'
import type { HttpUpstream, Visit } from './http-upstream.ts'
import { answerJson, serveHttp } from './http-upstream.ts'

export interface OAuthUpstream extends HttpUpstream {
  /** Acts as a person's browser: opens the address, consents, and returns the parameters of the redirect. */
  logIn(address: string): { readonly code: string; readonly state: string }
  /** Expires all tokens issued so far. */
  expireTokens(): void
  /** From now on this origin issues the tokens. */
  moveLoginTo(origin: string): void
  /** From now on a token also needs this scope. */
  demand(scope: string): void
  readonly grants: readonly string[]
  /** The clients that asked for tokens, with their secrets. */
  readonly clients: readonly string[]
}

export async function serveOAuth({ registers = true, loginPage = '' } = {}): Promise<OAuthUpstream> {
  /** Each token with its scopes. */
  const tokens = new Map<string, readonly string[]>()
  const demanded = ['read']
  let loginAt: string | undefined
  const refreshTokens = new Set<string>()
  const logins = new Map<string, { readonly challenge: string; readonly scopes: readonly string[] }>()
  const grants: string[] = []
  const clients: string[] = []
  const upstream = await serveHttp((visit) => {
    const { path, headers, response } = visit
    switch (path.split('?')[0]) {
      case '/mcp':
        return answerTo(visit, tokens.get(headers.authorization?.replace('Bearer ', '') ?? ''))
      case '/resource':
        return json(visit, { resource: upstream.url, authorization_servers: [loginAt ?? origin()] })
      case '/.well-known/oauth-authorization-server':
        return json(visit, {
          issuer: origin(),
          authorization_endpoint: loginPage === '' ? `${origin()}/authorize` : loginPage,
          token_endpoint: `${origin()}/token`,
          ...(registers && { registration_endpoint: `${origin()}/register` }),
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        })
      case '/register':
        return json(visit, { ...(visit.message as object), client_id: 'signalbox' }, 201)
      case '/token':
        return grantToken(visit)
      default:
        return response.writeHead(404).end()
    }
  })
  const origin = () => upstream.origin

  function answerTo(visit: Visit, scopes: readonly string[] | undefined): void {
    const missing = demanded.filter((scope) => !scopes?.includes(scope))
    if (missing.length === 0) return answerJson(visit, { fine: true })
    const why = scopes ? ', error="insufficient_scope"' : ''
    const demand = `Bearer resource_metadata="${origin()}/resource", scope="${missing.join(' ')}"${why}`
    visit.response.writeHead(scopes ? 403 : 401, { 'www-authenticate': demand }).end()
  }

  function grantToken(visit: Visit): void {
    const grant = visit.form.get('grant_type') ?? ''
    grants.push(grant)
    clients.push(clientOf(visit))
    const login = logins.get(visit.form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(visit.form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      grant === 'refresh_token'
        ? refreshTokens.delete(visit.form.get('refresh_token') ?? '')
        : login?.challenge === challenge
    if (!isRight) return json(visit, { error: 'invalid_grant' }, 400)
    const given = { access_token: randomUUID(), refresh_token: randomUUID(), token_type: 'Bearer' }
    tokens.set(given.access_token, login?.scopes ?? demanded)
    refreshTokens.add(given.refresh_token)
    json(visit, given)
  }

  return {
    ...upstream,
    grants,
    clients,
    logIn(address) {
      const asked = new URL(address).searchParams
      const code = randomUUID()
      const scopes = asked.get('scope')?.split(' ') ?? []
      logins.set(code, { challenge: asked.get('code_challenge') ?? '', scopes })
      return { code, state: asked.get('state') ?? '' }
    },
    expireTokens: () => tokens.clear(),
    moveLoginTo: (elsewhere) => void (loginAt = elsewhere),
    demand: (scope) => void demanded.push(scope),
  }
}

function clientOf({ headers, form }: Visit): string {
  const basic = headers.authorization?.replace('Basic ', '')
  return basic === undefined ? (form.get('client_id') ?? '') : Buffer.from(basic, 'base64').toString()
}

function json({ response }: Visit, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
