/**
 * Decides about a host: asks the hub, which knows the policy and can ask a person. While the hub is away, the list alone
 * decides. Requests for one host share one question.
 */
import { request } from 'node:http'
import type { NetworkJudge } from '../../base/confinement.ts'
import { isListed } from './allow-list.ts'

export interface Judgement {
  readonly isAllowed: boolean
  /** For the program that was refused. */
  readonly reason?: string | undefined
}

export type Judge = (host: string, port: number) => Promise<Judgement>

/** A decision that was made without the hub, for the next hub to record. */
interface Unreported {
  readonly host: string
  readonly port: number
  readonly allowed: boolean
  readonly at: string
}

/** An agent that tries one host after another must not fill the memory of its holder. */
const mostUnreported = 200
const maxAnswerBytes = 64 * 1024

export function createJudge({ allow, hub }: NetworkJudge): Judge {
  const asked = new Map<string, Promise<Judgement>>()
  let unreported: Unreported[] = []

  async function decide(host: string, port: number): Promise<Judgement> {
    const listed = isListed(allow, host, port)
    const earlier = unreported
    unreported = []
    try {
      return await ask({ host, port, listed, proof: hub.proof, ...(earlier.length > 0 && { earlier }) })
    } catch (error) {
      unreported = [...earlier, ...unreported].slice(-mostUnreported)
      if (!isAway(error)) return { isAllowed: false, reason: 'The hub could not decide about this host. Try again.' }
      unreported.push({ host, port, allowed: listed, at: new Date().toISOString() })
      const reason = `${host}:${port} is not on the list of this sandbox, and the hub is not there to ask.`
      return listed ? { isAllowed: true } : { isAllowed: false, reason }
    }
  }

  /** A person may take hours to answer, so there is no time-out. */
  async function ask(body: object): Promise<Judgement> {
    const { status, text } = await post(JSON.stringify(body))
    if (status === 503) throw new HubAway()
    if (status !== 200) throw new Error(`The hub answered ${status}.`)
    const { allowed, reason } = JSON.parse(text) as { allowed?: unknown; reason?: unknown }
    return { isAllowed: allowed === true, reason: typeof reason === 'string' ? reason : undefined }
  }

  function post(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number; readonly text: string }>()
    const headers = {
      host: hub.authority,
      authorization: `Bearer ${hub.token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request({ socketPath: hub.socket, path: '/hooks/network', method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxAnswerBytes) response.destroy(new Error('The answer of the hub is too long.'))
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
    return promise
  }

  return (host, port) => {
    const key = `${host}:${port}`
    const running = asked.get(key)
    if (running) return running
    const decided = decide(host, port).finally(() => asked.delete(key))
    asked.set(key, decided)
    return decided
  }
}

/** The hub is starting or stopping. */
class HubAway extends Error {}

/** A hub that ends while it is asked has not decided either. */
const awayCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])

function isAway(error: unknown): boolean {
  return error instanceof HubAway || (error instanceof Error && 'code' in error && awayCodes.has(String(error.code)))
}
