/**
 * The page that the login pages of upstreams redirect to. Plain text, because parts of the address come from others.
 */
import type { ServerResponse } from 'node:http'
import { HubError } from '../base/hub-error.ts'
import { sendText } from './send.ts'

export interface LoginAnswer {
  readonly code: string
  readonly state: string
  readonly issuer?: string
}

/** Resolves with the name of the connector. */
export type FinishLogin = (answer: LoginAnswer) => Promise<string>

export async function answerLoginCallback(query: string, finish: FinishLogin, response: ServerResponse): Promise<void> {
  const params = new URLSearchParams(query)
  const [code, state, issuer] = [params.get('code'), params.get('state'), params.get('iss')]
  if (code === null || state === null) {
    const why = params.get('error_description') ?? params.get('error') ?? 'the address lacks "code" or "state"'
    throw new HubError('invalid', `The login failed: ${why.slice(0, 500)}. Start it again.`)
  }
  const connector = await finish({ code, state, ...(issuer !== null && { issuer }) })
  response.setHeader('Cache-Control', 'no-store')
  sendText(
    response,
    200,
    'text/plain; charset=utf-8',
    `Logged in for the connector "${connector}". You can close this page.\n`,
  )
}
