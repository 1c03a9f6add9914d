/** Encrypts a message for one browser (RFC 8291), signs it with the key of the hub (VAPID), and posts it. */
import { createECDH } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { HubError, messageOf } from '../base/hub-error.ts'
import { checkEndpoint, type EndpointRules, endpointLookup } from './push-endpoint.ts'
import type { PushOutcome, SendPush } from './push-subscription.ts'

export interface SenderOptions {
  /** The private key of the hub, for P-256. */
  readonly key: Buffer
  /** How a push service can contact the operator of the hub: an https or mailto address. */
  readonly contact: string
  readonly rules: EndpointRules
}

export interface PushSender {
  /** A browser needs it to subscribe. Base64url. */
  readonly publicKey: string
  readonly send: SendPush
}

/** A question that no person has seen by then has expired. */
const keptSeconds = 3_600
const answerWithinMs = 10_000
const pausesMs = [1_000, 5_000]

export function createPushSender({ key, contact, rules }: SenderOptions): PushSender {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(key)
  const publicKey = pair.getPublicKey('base64url')
  const vapidDetails = { subject: contact, publicKey, privateKey: key.toString('base64url') }
  const lookup = endpointLookup(rules)

  return {
    publicKey,
    async send({ endpoint, publicKey: p256dh, authSecret: auth }, message, stopping) {
      const refused = whyRefused(endpoint, rules)
      if (refused !== undefined) return { is: 'failed', reason: refused }
      const { default: webPush } = await import('web-push')
      const keys = { p256dh, auth }
      const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(message), {
        vapidDetails,
        TTL: keptSeconds,
        urgency: 'high',
      })
      for (const pauseMs of [...pausesMs, undefined]) {
        const outcome = await post(new URL(endpoint), { headers, body, lookup }, stopping)
        if (outcome.is !== 'retry') return outcome
        if (pauseMs === undefined) return { is: 'failed', reason: outcome.reason }
        await delay(pauseMs, undefined, { signal: stopping })
      }
      throw new Error('unreachable')
    },
  }
}

/** The rules may have changed since the endpoint was stored. A literal address is not looked up. */
function whyRefused(endpoint: string, rules: EndpointRules): string | undefined {
  try {
    checkEndpoint(endpoint, rules)
    return undefined
  } catch (error) {
    if (error instanceof HubError) return error.message
    throw error
  }
}

interface Posted {
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer | null
  readonly lookup: ReturnType<typeof endpointLookup>
}

type Attempt = PushOutcome | { readonly is: 'retry'; readonly reason: string }

/** Does not follow redirects. */
async function post(url: URL, { headers, body, lookup }: Posted, stopping: AbortSignal): Promise<Attempt> {
  const { promise, resolve } = Promise.withResolvers<Attempt>()
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(answerWithinMs)])
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const posted = request(url, { method: 'POST', headers, lookup, signal }, (response) => {
    response.resume()
    resolve(outcomeOf(response.statusCode ?? 0))
  })
  posted.on('error', (error) => {
    // A forbidden address stays forbidden.
    resolve({ is: error instanceof HubError ? 'failed' : 'retry', reason: messageOf(error) })
  })
  posted.end(body)
  const outcome = await promise
  stopping.throwIfAborted()
  return outcome
}

function outcomeOf(status: number): Attempt {
  const reason = `the push service answered ${status}`
  if (status >= 200 && status < 300) return { is: 'sent' }
  if (status === 404 || status === 410) return { is: 'gone', reason }
  return { is: status === 429 || status >= 500 ? 'retry' : 'failed', reason }
}
