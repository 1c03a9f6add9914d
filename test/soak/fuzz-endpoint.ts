/** Clients that send random messages to the endpoint, in both eras, over HTTP and over the socket of a session. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { metaKey, modernVersion } from '../../src/mcp/wire.ts'
import { openLines } from '../harness/line-client.ts'
import { modernMeta } from '../harness/modern-call.ts'
import { exchange, type Target, type RequestSpec } from '../http/exchange.ts'
import { connectLegacy, legacyRevisions } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { openSocket, postHead } from '../http/raw-socket.ts'
import { type Dice, mutate, odd, sample, spoil } from './fuzz-values.ts'
import type { FuzzedHub } from './fuzzed-hub.ts'

/** Sends this many messages, and returns how many were answered with a result. */
export type Lane = (dice: Dice, messages: number) => Promise<number>

/** A call that takes longer is aborted. */
const timeoutMs = 1_000

export async function openLanes(hub: FuzzedHub, socketPath: string): Promise<ReadonlyMap<string, Lane>> {
  const person = { port: hub.port, token: await hub.issueToken({ role: 'human' }) }
  const agent = { port: hub.port, token: await hub.issueToken({ role: 'agent', session: 'fuzz-agent' }) }
  const words = [
    'victim',
    'fuzzed',
    'true',
    'hello',
    'default: allow',
    '1',
    'resource://hub/status',
    'http://127.0.0.1:1/',
    `${hub.home}/absent`,
  ]
  const ofPerson = { tools: await listTools(person), words }
  const ofAgent = { tools: await listTools(agent), words }
  return new Map<string, Lane>([
    ['a person, modern', modernLane(hub, person, ofPerson)],
    ['a person, legacy', legacyLane(hub, person, ofPerson)],
    ['an agent, modern', modernLane(hub, agent, ofAgent)],
    ['an agent, legacy', legacyLane(hub, agent, ofAgent)],
    ['an agent, socket', socketLane(hub, socketPath, { tools: await listSocketTools(socketPath), words })],
    ['a client that cuts its requests', cutLane(agent, ofAgent)],
  ])
}

interface Known {
  readonly tools: readonly z.output<typeof tool>[]
  readonly words: readonly string[]
}

const tool = z.object({ name: z.string(), inputSchema: z.record(z.string(), z.unknown()) })

const toolList = z.object({ result: z.object({ tools: z.array(tool).min(1) }) })

async function listTools(target: Target): Promise<Known['tools']> {
  const { body } = await modern(target, 'tools/list', {}, { query: '?toolsets=all' })
  return toolList.parse(body).result.tools
}

async function listSocketTools(path: string): Promise<Known['tools']> {
  await using lines = await openLines(path)
  return toolList.parse(await lines.request('tools/list')).result.tools
}

interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
}

type Headers = Readonly<Record<string, string | undefined>>

const uri = (dice: Dice, { words }: Known) => ({ uri: dice.pick(words) })
const nothing = () => ({})
const paramsOf: Readonly<Record<string, (dice: Dice, known: Known) => Readonly<Record<string, unknown>>>> = {
  'tools/list': nothing,
  'resources/list': nothing,
  'resources/templates/list': () => ({ cursor: '0' }),
  'resources/listTemplates': nothing,
  'prompts/list': () => ({ cursor: '500' }),
  'resources/read': uri,
  'resources/subscribe': uri,
  'resources/unsubscribe': uri,
  'prompts/get': (dice, { words }) => ({ name: dice.pick(words), arguments: { text: 'hello' } }),
  'completion/complete': (dice, { words }) => ({
    ref: { type: 'ref/resource', uri: dice.pick(words) },
    argument: { name: 'name', value: 'a' },
    context: { arguments: {} },
  }),
  'logging/setLevel': () => ({ level: 'debug' }),
  'subscriptions/listen': (dice, known) => ({
    notifications: { toolsListChanged: true, resourceSubscriptions: [dice.pick(known.words)] },
  }),
  'server/discover': nothing,
  initialize: (dice) => ({
    protocolVersion: dice.pick(legacyRevisions),
    capabilities: { elicitation: {}, roots: { listChanged: true } },
    clientInfo: { name: 'fuzz', version: '1' },
  }),
  ping: nothing,
  'tasks/get': () => ({ taskId: 'none' }),
  'tasks/result': () => ({ taskId: 'none' }),
  'unknown/method': nothing,
  'notifications/initialized': nothing,
  'notifications/cancelled': (dice) => ({ requestId: dice.below(5), reason: 'fuzz' }),
  'notifications/progress': (dice) => ({ progressToken: dice.below(5), progress: 1 }),
  'notifications/roots/list_changed': nothing,
}
const otherMethods = Object.keys(paramsOf)

function draftMessage(dice: Dice, known: Known): Message {
  const isCall = dice.chance(0.6)
  const method = isCall ? 'tools/call' : dice.pick(otherMethods)
  const params = isCall ? draftCall(dice, known) : paramsOf[method]!(dice, known)
  if (dice.chance(0.03)) return { jsonrpc: '2.0', id: dice.below(5), result: params }
  // There are few ids, so that many are used twice.
  return { jsonrpc: '2.0', ...(!method.startsWith('notifications/') && { id: dice.below(5) }), method, params }
}

function draftCall(dice: Dice, { tools, words }: Known) {
  const { name, inputSchema } = dice.pick(tools)
  const args = sample(dice, inputSchema, words)
  return { name, arguments: dice.chance(0.6) ? mutate(dice, args) : args }
}

/** A message as text, perhaps with mistakes. */
function draftText(dice: Dice, message: Message): string {
  const changed = dice.chance(0.2) ? mutate(dice, message) : message
  const text = JSON.stringify(dice.chance(0.05) ? [changed, message, odd(dice)] : changed)
  return dice.chance(0.08) ? spoil(dice, text) : text
}

function draftHeaders(dice: Dice, usual: Headers): Headers {
  if (!dice.chance(0.1)) return usual
  const name = dice.pick([...Object.keys(usual), 'content-type', 'accept', 'last-event-id', 'origin', 'mcp-param-name'])
  const value = dice.pick([
    undefined,
    '',
    'x'.repeat(1_000),
    '=?base64?/w==?=',
    '2025-03-26',
    'text/plain',
    '\u00ff',
    '-1',
  ])
  return { ...usual, [name]: value }
}

async function send(hub: FuzzedHub, target: Target, spec: RequestSpec): Promise<number> {
  try {
    const { text } = await exchange(target, { ...spec, signal: AbortSignal.timeout(timeoutMs) })
    hub.inspect(`${JSON.stringify(spec.headers)} ${String(spec.body)}`, text)
    return hasResult(text)
  } catch {
    // The call waits for something, or the answer is a stream.
    return 0
  }
}

const hasResult = (text: string) => (text.includes('"result":{') ? 1 : 0)

function modernLane(hub: FuzzedHub, target: Target, known: Known): Lane {
  return async (dice, messages) => {
    let answered = 0
    for (let sent = 0; sent < messages; sent++) {
      const { params, ...message } = draftMessage(dice, known)
      const _meta = dice.chance(0.1) ? mutate(dice, modernMeta) : { ...modernMeta, [metaKey.logLevel]: 'debug' }
      const name = params?.['name'] ?? params?.['uri']
      const headers = draftHeaders(dice, {
        'mcp-protocol-version': modernVersion,
        ...(message.method !== undefined && { 'mcp-method': message.method }),
        ...(typeof name === 'string' && { 'mcp-name': name }),
      })
      const body = draftText(dice, { ...message, params: { ...params, _meta } })
      answered += await send(hub, target, { headers, body })
    }
    return answered
  }
}

function legacyLane(hub: FuzzedHub, target: Target, known: Known): Lane {
  return async (dice, messages) => {
    let answered = 0
    for (let sent = 0; sent < messages;) {
      const version = dice.pick(legacyRevisions)
      const connection = await connectLegacy(target, { version, capabilities: { elicitation: {}, sampling: {} } })
      const notices = await connection.listen()
      for (let left = 100; left > 0 && sent < messages; left -= 2, sent += 2) {
        const two = [draftMessage(dice, known), draftMessage(dice, known)].map((message) => {
          const { headers = {}, ...spec } = connection.spec(draftText(dice, message))
          const usual = { ...headers, 'mcp-protocol-version': version }
          return send(hub, target, { ...spec, headers: draftHeaders(dice, usual) })
        })
        for (const one of await Promise.all(two)) answered += one
      }
      hub.inspect('the stream of notices', JSON.stringify(notices.messages))
      if (dice.chance(0.5)) notices.close()
      await connection.end()
      notices.close()
    }
    return answered
  }
}

function socketLane(hub: FuzzedHub, path: string, known: Known): Lane {
  return async (dice, messages) => {
    let answered = 0
    for (let sent = 0; sent < messages;) {
      const socket = connect(path)
      await once(socket, 'connect')
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()).on('error', () => {}))
      let received = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
      const isLegacy = dice.chance(0.5)
      if (isLegacy) {
        const params = {
          protocolVersion: dice.pick(legacyRevisions),
          capabilities: {},
          clientInfo: { name: 'f', version: '1' },
        }
        socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params })}\n`)
      }
      for (let left = 50; left > 0 && sent < messages && !socket.destroyed; left--, sent++) {
        const { params, ...message } = draftMessage(dice, known)
        const text = draftText(dice, {
          ...message,
          params: isLegacy ? { ...params } : { ...params, _meta: modernMeta },
        })
        const before = received.length
        socket.write(dice.chance(0.95) ? `${text}\n` : text)
        // Waits for the answer, but not for ever, because a notification has none.
        if (message.id !== undefined) await Promise.race([once(socket, 'data'), closed, pause(timeoutMs / 5)])
        answered += hasResult(received.slice(before))
        hub.inspect(text, received.slice(before))
      }
      socket.destroy()
      await closed
    }
    return answered
  }
}

/** Disconnects in the middle of a body, or states a wrong length. */
function cutLane({ port, token }: Target, known: Known): Lane {
  return async (dice, messages) => {
    for (let sent = 0; sent < messages; sent++) {
      using raw = await openSocket(port)
      const bytes = Buffer.from(draftText(dice, draftMessage(dice, known)))
      if (dice.chance(0.3)) bytes[dice.below(bytes.length)] = 0xff
      const size = bytes.length + dice.pick([1, 1_000, 0, -1])
      await raw.write(
        postHead(token, { 'Content-Length': String(Math.max(0, size)), 'Mcp-Protocol-Version': modernVersion }),
      )
      await raw.write(bytes.subarray(0, dice.below(bytes.length + 1)))
      if (dice.chance(0.5)) await pause(dice.below(10))
    }
    return messages
  }
}
