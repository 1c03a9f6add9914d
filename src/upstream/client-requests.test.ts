import { expect, test } from 'vitest'
import { toRawNumber } from '../base/exact-numbers.ts'
import { heldBy } from '../base/held-memory.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import type { ProgressListener, RequestId, RpcMessage } from '../mcp/mcp.ts'
import { createClientRequests } from './client-requests.ts'
import { createQuestionBudget } from './question-budget.ts'

const log = createLog({ level: 'error', redactor: createRedactor(), destination: { write() {} } })

test('an upstream that keeps asking and reads no answer does not fill the hub with answers', async () => {
  let sent = 0
  const clientRequests = createClientRequests({
    send() {
      sent++
      return new Promise(() => {})
    },
    log,
    budget: createQuestionBudget().ofUpstream(),
  })
  for (let id = 0; id < 5_000; id++) {
    clientRequests.run({ jsonrpc: '2.0', id: `p${id}`, method: 'ping' }, async () => ({}), undefined)
    clientRequests.run({ jsonrpc: '2.0', id: `r${id}`, method: 'roots/list' }, async () => ({ roots: [] }), undefined)
    await Promise.resolve()
  }
  expect(sent).toBe(1_000)
})

test.each([
  ['a long text', 'x'.repeat(1_000_000)],
  ['a number with many digits', toRawNumber('1'.repeat(1_000_000))],
  ['an object', { list: ['x'.repeat(1_000_000)] }],
])('%s is not sent back to the upstream, as an id or as a progress token', async (_, text) => {
  const sent: RpcMessage[] = []
  const clientRequests = createClientRequests({
    async send(message) {
      sent.push(message)
    },
    log,
    budget: createQuestionBudget().ofUpstream(),
  })
  const id = text as RequestId
  const roots = async (_1: unknown, _2: unknown, onProgress?: ProgressListener) => {
    onProgress?.({ progress: 1 })
    return { roots: [] }
  }
  clientRequests.run({ jsonrpc: '2.0', id, method: 'ping' }, roots, undefined)
  clientRequests.run({ jsonrpc: '2.0', id, method: 'roots/list' }, roots, undefined)
  const params = { _meta: { progressToken: text } }
  clientRequests.run({ jsonrpc: '2.0', id: 'short', method: 'roots/list', params }, roots, undefined)
  await turns()
  const message = (what: string) => expect.stringContaining(`${what} must be a text of at most 8192 characters`)
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: message('The id of a request') } },
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: message('The id of a request') } },
    { jsonrpc: '2.0', id: 'short', error: { code: -32602, message: message('A progress token') } },
  ])
})

/** Two upstreams that ask `count` questions each, which are open until `answer` is called. */
function askingWith(params: object, count: number, upstreams = 1) {
  const sent: RpcMessage[] = []
  const answers: (() => void)[] = []
  const budget = createQuestionBudget()
  let open = 0
  const all = Array.from({ length: upstreams }, () =>
    createClientRequests({ send: async (message) => void sent.push(message), log, budget: budget.ofUpstream() }),
  )
  const ask = () =>
    new Promise<object>((resolve) => {
      open++
      answers.push(() => {
        open--
        resolve({})
      })
    })
  for (const [index, each] of all.entries()) {
    for (let id = 0; id < count; id++)
      each.run({ jsonrpc: '2.0', id: `${index}.${id}`, method: 'elicitation/create', params: { ...params } }, ask, 1)
  }
  return { all, sent, answers, open: () => open }
}

const turns = () => new Promise((resolve) => setImmediate(resolve))

test.each([
  ['text', { message: 'x'.repeat(2_000_000) }, 4],
  ['small objects', { list: Array.from({ length: 50_000 }, () => ({})) }, 2],
])('the open questions of an upstream are limited by the memory that their %s holds', async (_, params, most) => {
  const { all, sent, open, answers } = askingWith(params, 100)
  await turns()
  expect(open()).toBe(most)
  expect(sent).toHaveLength(100 - most)
  expect(sent[0]).toMatchObject({ error: { code: -32005, message: expect.stringContaining('8 MiB') } })
  // Withdrawn questions count until they are gone.
  all[0]!.endAll()
  all[0]!.run({ jsonrpc: '2.0', id: 'next', method: 'elicitation/create', params }, async () => ({}), 1)
  await turns()
  expect(sent.at(-1)).toMatchObject({ id: 'next', error: { code: -32005 } })
  for (const answer of answers) answer()
  await turns()
  all[0]!.run({ jsonrpc: '2.0', id: 'later', method: 'elicitation/create', params }, async () => ({}), 1)
  await turns()
  expect(sent.at(-1)).toMatchObject({ id: 'later', result: {} })
})

test('the open questions of all upstreams are limited together', async () => {
  const { open, sent } = askingWith({ message: 'x'.repeat(2_000_000) }, 4, 20)
  await turns()
  expect(open()).toBe(33)
  expect(sent.at(-1)).toMatchObject({ error: { code: -32005, message: expect.stringContaining('64 MiB') } })
})

test('a question that is too large is refused, and nothing of it is kept', async () => {
  const { open, sent } = askingWith({ message: 'x'.repeat(5_000_000) }, 1)
  await turns()
  expect(open()).toBe(0)
  expect(sent).toMatchObject([{ id: '0.0', error: { code: -32600, message: expect.stringContaining('4 MiB') } }])
})

test('measuring a value ends as soon as it is too large', () => {
  let visited = 0
  const trap = new Proxy({}, { ownKeys: () => (visited++, []) })
  heldBy([Array.from({ length: 1_000_000 }, () => trap)], 1_000)
  expect(visited).toBe(0)
})
