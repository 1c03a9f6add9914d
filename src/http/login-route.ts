/**
 * `POST /login` with `{"code": "…"}`: exchanges a one-time login code for a token. The caller has checked Host and Origin.
 * As with tokens, a valid code is accepted even from an address that has sent too many wrong ones.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import { createFailureLimit } from './failure-limit.ts'
import { readBody } from './read-body.ts'
import { sendJson } from './send.ts'

/** `undefined`: the code is unknown, used or expired. */
export type ExchangeCode = (code: string) => Promise<LoginToken | undefined>

export interface LoginToken {
  readonly token: string
  readonly id: string
  readonly expires_at: string | undefined
}

export type AnswerLoginCode = (
  request: IncomingMessage,
  response: ServerResponse,
  exchange: ExchangeCode,
) => Promise<void>

const maxBytes = 1024
const bodySchema = z.object({ code: z.string() })

export function createLoginRoute(): AnswerLoginCode {
  const failures = createFailureLimit(Date.now)
  return async (request, response, exchange) => {
    const login = await exchange(readCode(await readBody(request, maxBytes)))
    if (login) return sendJson(response, 200, login)
    const limit = failures.count(request.socket.remoteAddress ?? '')
    if (!limit) {
      throw new HubError(
        'unauthorized',
        'The login code is unknown, used or expired. "signalbox url --qr" prints another.',
      )
    }
    response.setHeader('Retry-After', String(limit.retryAfterSeconds))
    throw new HubError('busy', 'Too many wrong login codes from this address. Wait a minute.')
  }
}

function readCode(body: string): string {
  try {
    return bodySchema.parse(JSON.parse(body)).code
  } catch {
    // The body may hold a code, so the error does not repeat it.
    throw new HubError('invalid', 'Send a JSON object with the login code: {"code": "sb_login_…"}.')
  }
}
