/**
 * An upstream over stdio or HTTP whose messages may all be wrong. Its messages depend on the seed and on the number of
 * earlier starts, so that it does not repeat a wrong handshake after a restart.
 *
 *   node hostile-upstream.ts <seed> legacy|modern <file that counts the starts>
 */
import { appendFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { createDice, type Dice, mutate, odd, spoil } from './fuzz-values.ts'

type Era = 'legacy' | 'modern'

interface Received {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: Readonly<Record<string, unknown>>
}

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}
const inputSchema = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'a' } } }
const tools = ['one', 'two', 'three'].map((name) => ({ name, description: 'Does nothing.', inputSchema }))
const outputSchema = { type: 'object', properties: { sum: { type: 'number' } } }

/** The answer of a correct upstream. */
function goodResult(method: unknown, params: Received['params'] = {}): object {
  switch (method) {
    case 'initialize':
      return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'hostile', version: '1' } }
    case 'server/discover':
      return { supportedVersions: ['2026-07-28'], capabilities, serverInfo: { name: 'hostile', version: '1' } }
    case 'tools/list':
      return { tools: [...tools, { name: 'four', inputSchema, outputSchema, annotations: { readOnlyHint: true } }] }
    case 'resources/list':
      return { resources: [{ uri: 'test://a', name: 'a', mimeType: 'text/plain', size: 1 }] }
    case 'resources/templates/list':
      return { resourceTemplates: [{ uriTemplate: 'test://{a}', name: 'template' }] }
    case 'prompts/list':
      return { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] }
    case 'resources/read':
      return { contents: [{ uri: params['uri'], text: 'text' }] }
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] }
    case 'completion/complete':
      return { completion: { values: ['one'], total: 1, hasMore: false } }
    case 'tools/call':
      return {
        content: [
          { type: 'text', text: 'hello', annotations: { audience: ['user'] } },
          { type: 'resource_link', uri: 'test://a', name: 'a' },
        ],
        structuredContent: { sum: 1 },
      }
    default:
      return {}
  }
}

const notices: readonly ((dice: Dice) => object)[] = [
  () => ({ method: 'notifications/tools/list_changed' }),
  () => ({ method: 'notifications/resources/list_changed', params: {} }),
  () => ({ method: 'notifications/prompts/list_changed' }),
  () => ({ method: 'notifications/resources/updated', params: { uri: 'test://a' } }),
  () => ({ method: 'notifications/message', params: { level: 'info', logger: 'x', data: { a: 1 } } }),
  (dice) => ({ method: 'notifications/progress', params: { progressToken: dice.below(20), progress: 1, total: 2 } }),
  (dice) => ({ method: 'notifications/cancelled', params: { requestId: dice.below(20), reason: 'why' } }),
  () => ({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } }),
  (dice) => ({ id: dice.below(50), result: {} }),
  (dice) => ({ id: dice.below(50), error: { code: -32000, message: 'late' } }),
  (dice) => ({ id: `q${dice.below(9)}`, method: 'roots/list' }),
  (dice) => ({ id: `q${dice.below(9)}`, method: 'ping', params: {} }),
  (dice) => ({ id: `q${dice.below(9)}`, method: 'unknown/question', params: {} }),
  (dice) => ({
    id: `q${dice.below(9)}`,
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 },
  }),
  (dice) => ({
    id: `q${dice.below(9)}`,
    method: 'elicitation/create',
    params: { message: 'Sure?', requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } } },
  }),
]

/** The texts it sends after a message, one message each. */
function reply(dice: Dice, era: Era, { id, method, params }: Received): readonly string[] {
  const sent: unknown[] = []
  const isRequest = id !== undefined && method !== undefined
  while (dice.chance(0.4)) {
    const notice = { jsonrpc: '2.0', ...dice.pick(notices)(dice) }
    sent.push(dice.chance(0.6) ? mutate(dice, notice) : notice)
  }
  // Handshakes are rarely wrong, because an upstream that never starts tests none of its later messages.
  const isHandshake = method === 'initialize' || method === 'server/discover'
  const isForeign = (method === 'initialize') === (era === 'modern')
  if (isHandshake && isForeign && isRequest) {
    sent.push({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
  } else if (isRequest && method !== 'subscriptions/listen' && !dice.chance(0.02)) {
    const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const result = { ...goodResult(method, params), ...(era === 'modern' && modern) }
    const question = { resultType: 'input_required', requestState: 's', inputRequests: { q: { method: 'roots/list' } } }
    const good = era === 'modern' && method === 'tools/call' && dice.chance(0.1) ? question : result
    const wrong = dice.chance(isHandshake ? 0.1 : 0.5) ? mutate(dice, good) : good
    const answer = dice.chance(isHandshake ? 0 : 0.1)
      ? { jsonrpc: '2.0', id, error: mutate(dice, { code: -32000, message: 'no', data: { a: 1 } }) }
      : { jsonrpc: '2.0', id, result: wrong }
    sent.push(dice.chance(isHandshake ? 0 : 0.05) ? mutate(dice, answer) : answer)
    if (dice.chance(0.05)) sent.push(answer)
  }
  if (dice.chance(0.03)) sent.push([...sent, odd(dice)])
  return sent.map((one) => (dice.chance(0.03) && !isHandshake ? spoil(dice, JSON.stringify(one)) : JSON.stringify(one)))
}

export interface HostileAddress extends AsyncDisposable {
  readonly url: string
}

export async function serveHostile(seed: number, era: Era): Promise<HostileAddress> {
  const dice = createDice(seed)
  const server = createServer((request, response) => {
    response.on('error', () => {})
    void request.toArray().then((chunks: Buffer[]) => {
      const type = dice.chance(0.02)
        ? dice.pick(['', 'text/html', 'application/json; x', 'text/event-stream'])
        : undefined
      if (request.method !== 'POST') {
        if (request.method === 'DELETE' || dice.chance(0.3)) return response.writeHead(405).end()
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const text of reply(dice, era, {})) response.write(asEvent(dice, text))
        return dice.chance(0.5) ? response.end() : undefined
      }
      const received = JSON.parse(Buffer.concat(chunks).toString()) as Received
      const texts = reply(dice, era, received)
      const isHandshake = received.method === 'initialize' || received.method === 'server/discover'
      if (received.id === undefined || received.method === undefined) return response.writeHead(202).end()
      const status = dice.chance(0.03) && !isHandshake ? dice.pick([202, 204, 400, 404, 500, 503]) : 200
      if (received.method === 'initialize') response.setHeader('mcp-session-id', `s${dice.below(100)}`)
      if (texts.length === 1 && received.method !== 'subscriptions/listen') {
        return response.writeHead(status, { 'content-type': type ?? 'application/json' }).end(texts[0])
      }
      response.writeHead(status, { 'content-type': type ?? 'text/event-stream' })
      for (const text of texts) response.write(asEvent(dice, text))
      if (received.method !== 'subscriptions/listen') response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function asEvent(dice: Dice, text: string): string {
  const head = dice.chance(0.05)
    ? dice.pick(['id: \u0000\n', 'retry: 1e9\n', 'event: error\n', ': \n\n', 'data\n'])
    : ''
  return `${head}data: ${text.replaceAll('\n', '\ndata: ')}\n\n`
}

if (import.meta.main) {
  const [seed = '0', era = 'legacy', starts = ''] = process.argv.slice(2)
  appendFileSync(starts, '.')
  const dice = createDice(Number(seed) + 100 * statSync(starts).size)
  for await (const line of createInterface({ input: process.stdin })) {
    for (const text of reply(dice, era as Era, JSON.parse(line) as Received)) process.stdout.write(`${text}\n`)
  }
}
