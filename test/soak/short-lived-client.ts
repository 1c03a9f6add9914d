/** One client that connects, makes a few calls and leaves. Many leave without closing their connection. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { modernVersion, newestLegacyVersion } from '../../src/mcp/wire.ts'
import { type Endpoint, modernMeta } from '../harness/modern-call.ts'

export type Behavior = 'legacy, disconnects' | 'legacy, vanishes' | 'modern, vanishes'

const watched = 'resource://hub/status'
const callsPerClient = 6
const longestPauseMs = 2_000

export async function runClient(endpoint: Endpoint, behavior: Behavior): Promise<void> {
  // Its own TCP connections, so that it can vanish with all of them at once.
  const agent = new Agent({ keepAlive: true })
  try {
    await (behavior === 'modern, vanishes' ? runModern(endpoint, agent) : runLegacy(endpoint, agent, behavior))
  } finally {
    agent.destroy()
  }
}

async function runLegacy(endpoint: Endpoint, agent: Agent, behavior: Behavior): Promise<void> {
  const send = sender(endpoint, agent)
  const params = {
    protocolVersion: newestLegacyVersion,
    capabilities: {},
    clientInfo: { name: 'signalbox-soak', version: '1.0.0' },
  }
  const opened = await send({}, { id: 1, method: 'initialize', params })
  await opened.toArray()
  const headers = {
    'mcp-session-id': String(opened.headers['mcp-session-id']),
    'mcp-protocol-version': newestLegacyVersion,
  }
  await drained(send(headers, { method: 'notifications/initialized' }))
  const notices = await send(headers, undefined, 'GET')
  notices.on('error', () => {}).resume()
  await drained(send(headers, { id: 2, method: 'resources/subscribe', params: { uri: watched } }))
  for (let id = 3; id < 3 + callsPerClient; id++) {
    await delay(Math.random() * longestPauseMs)
    await drained(send(headers, { id, method: 'tools/call', params: { name: 'hub_status', arguments: {} } }))
  }
  if (behavior === 'legacy, disconnects') await drained(send(headers, undefined, 'DELETE'))
  notices.destroy()
}

async function runModern(endpoint: Endpoint, agent: Agent): Promise<void> {
  const send = sender(endpoint, agent)
  const notifications = { resourceSubscriptions: [watched] }
  const listen = { id: 1, method: 'subscriptions/listen', params: { notifications, _meta: modernMeta } }
  const notices = await send(modernHeaders('subscriptions/listen'), listen)
  notices.on('error', () => {}).resume()
  for (let id = 2; id < 2 + callsPerClient; id++) {
    await delay(Math.random() * longestPauseMs)
    const headers = { ...modernHeaders('tools/call'), 'mcp-name': 'hub_status' }
    const params = { name: 'hub_status', arguments: {}, _meta: modernMeta }
    await drained(send(headers, { id, method: 'tools/call', params }))
  }
  notices.destroy()
}

function modernHeaders(method: string) {
  return { 'mcp-protocol-version': modernVersion, 'mcp-method': method }
}

type Send = (headers: Readonly<Record<string, string>>, message?: object, method?: string) => Promise<IncomingMessage>

/** Resolves with the head of the response. Rejects if the status is not a success. */
function sender({ url, token }: Endpoint, agent: Agent): Send {
  return (headers, message, method = 'POST') =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
          ...headers,
        },
      })
      outgoing.on('error', reject)
      outgoing.on('response', (response) => {
        const status = response.statusCode ?? 0
        if (status >= 200 && status < 300) resolve(response)
        else
          void response
            .toArray()
            .then((body) => reject(new Error(`${method} ${status}: ${Buffer.concat(body).toString()}`)))
      })
      outgoing.end(message && JSON.stringify({ jsonrpc: '2.0', ...message }))
    })
}

async function drained(answer: Promise<IncomingMessage>): Promise<void> {
  await (await answer).toArray()
}
