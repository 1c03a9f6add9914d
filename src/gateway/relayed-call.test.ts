import { expect, test } from 'vitest'
import type { Call, Client, InputRequired, Params } from '../mcp/mcp.ts'
import { RpcError } from '../mcp/mcp.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { RelayTarget } from './relayed-call.ts'
import { createRelayedCalls } from './relayed-call.ts'
import { createTaskIds } from './task-ids.ts'

const request = { method: 'tools/call', params: { name: 'read' }, isSafe: false }

function callBy(client: Partial<Client>, own: Partial<Call> = {}): Call {
  const { signal } = new AbortController()
  return {
    caller: { tokenId: 't1' },
    client: { era: 'modern', version: '2026-07-28', capabilities: {}, ...client },
    params: {},
    answers: {},
    signal,
    ...own,
  } as Call
}

function target(request: Upstream['request']): RelayTarget {
  return {
    lease: { upstream: { request } },
    questions: { authorize: async (question) => ({ question, end() {} }) },
    tasks: createTaskIds().join('demo'),
    roots: async () => [{ uri: 'file:///work' }],
    mayNameRoots: async () => true,
  }
}

/** A legacy upstream that asks, and continues after a refusal. */
function asking(...methods: readonly string[]): RelayTarget {
  return target(async (_method, _params, { onAsk, signal }) => {
    await Promise.resolve()
    await Promise.allSettled(methods.map(async (method) => onAsk?.({ method, params: {} }, signal)))
    return { content: [{ type: 'text', text: 'never mind' }] }
  })
}

test.each(['sampling/createMessage', 'elicitation/create'] as const)(
  'a modern client that did not declare the capability for %s gets an error, whatever the upstream answers',
  async (method) => {
    const outcome = createRelayedCalls().run(asking(method), request, callBy({}))
    await expect(outcome).rejects.toMatchObject({ code: -32021, status: 400 })
  },
)

test('a client that declared one of two capabilities is asked for that one, and gets the result of the upstream', async () => {
  const calls = createRelayedCalls()
  const upstream = asking('elicitation/create', 'sampling/createMessage')
  const client = { capabilities: { sampling: {} } }
  const round = await calls.run(upstream, request, callBy(client))
  const { inputRequests = {}, state } = round as InputRequired
  expect(Object.values(inputRequests)).toMatchObject([{ method: 'sampling/createMessage' }])
  const answers = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, {}]))
  expect(await calls.run(upstream, request, callBy(client, { answers, state }))).toMatchObject({ content: [{}] })
})

test('a legacy client that cannot be asked gets the result of the upstream', async () => {
  const upstream = asking('sampling/createMessage')
  const outcome = await createRelayedCalls().run(upstream, request, callBy({ era: 'legacy', version: '2025-11-25' }))
  expect(outcome).toEqual({ content: [{ type: 'text', text: 'never mind' }] })
})

const askingForRoots = target(async (_method, _params, { onAsk, signal }) => {
  await Promise.resolve()
  return (await onAsk?.({ method: 'roots/list' }, signal)) ?? {}
})
const ownRoots = { roots: [{ uri: 'file:///work' }] }

test('a client without roots is not asked for them, and the upstream gets those of the session', async () => {
  expect(await createRelayedCalls().run(askingForRoots, request, callBy({}))).toEqual(ownRoots)
})

test.each([
  ['no roots', [], ownRoots],
  ['roots', [{ uri: 'file:///home' }], { roots: [{ uri: 'file:///home' }] }],
])('a client that answers with %s while its call runs', async (_answer, roots, expected) => {
  const client = { era: 'legacy', capabilities: { roots: {} } } as const
  const call = callBy(client, { ask: async () => ({ roots }) })
  expect(await createRelayedCalls().run(askingForRoots, request, call)).toEqual(expected)
})

test.each([
  ['a "requestState" that is long', { requestState: 'x'.repeat(300_000) }],
  ['a "requestState" that is an object', { requestState: { list: ['x'.repeat(300_000)] } }],
  ['a question with a long key', { inputRequests: { ['x'.repeat(10_000)]: { method: 'roots/list' } } }],
])('%s is not sent back to the upstream', async (_, asked) => {
  const calls = createRelayedCalls()
  const upstream = target(async () => ({ resultType: 'input_required', ...asked }))
  const outcome = calls.run(upstream, request, callBy({ capabilities: { roots: {} } }))
  await expect(outcome).rejects.toThrow(/must be a text of at most \d+ characters, because the hub sends it back/)
})

const confined = (open: RelayTarget): RelayTarget => ({ ...open, mayNameRoots: async () => false })

test('the client of a confined session is not asked for roots', async () => {
  const client = { era: 'legacy', capabilities: { roots: {} } } as const
  const call = callBy(client, { ask: async () => ({ roots: [{ uri: 'file:///home' }] }) })
  expect(await createRelayedCalls().run(confined(askingForRoots), request, call)).toEqual(ownRoots)
})

test('an answer of a confined session with roots gets those of the session, also if nobody asked', async () => {
  let sent: Params | undefined
  const upstream = target(async (_method, params) => {
    sent = params
    return { content: [] }
  })
  const answers = { a: { roots: [{ uri: 'file:///home' }] }, b: { action: 'accept', content: {} } }
  await createRelayedCalls().run(confined(upstream), request, callBy({}, { answers }))
  expect(sent?.['inputResponses']).toEqual({ a: ownRoots, b: answers.b })
  await createRelayedCalls().run(upstream, request, callBy({}, { answers }))
  expect(sent?.['inputResponses']).toEqual(answers)
})

test('the requests of one token that an upstream does not answer hold a limited memory', async () => {
  const calls = createRelayedCalls()
  const answers: (() => void)[] = []
  const upstream = target(() => new Promise((resolve) => answers.push(() => resolve({ content: [] }))))
  const large = { ...request, params: { name: 'read', arguments: { text: 'x'.repeat(4_000_000) } } }
  const run = (call = callBy({})) => calls.run(upstream, large, call).catch((error: unknown) => error)
  const running = Array.from({ length: 8 }, () => run())
  expect(await run()).toMatchObject({ code: 'busy', message: expect.stringContaining('more than 32 MiB') })
  expect(() => calls.hold(large.params, callBy({}))).toThrow('more than 32 MiB')
  await expect.poll(() => answers.length).toBe(8)
  void run(callBy({}, { caller: { tokenId: 't2' } as Call['caller'] }))
  await expect.poll(() => answers.length).toBe(9)
  for (const answer of answers) answer()
  await Promise.all(running)
  void run()
  await expect.poll(() => answers.length).toBe(10)
})

test('answers without a state are passed on to the upstream', async () => {
  let sent: Params | undefined
  const upstream = target(async (_method, params) => {
    sent = params
    return { content: [] }
  })
  const answers = { user_name: { action: 'accept', content: { name: 'Ada' } } }
  await createRelayedCalls().run(upstream, request, callBy({}, { answers }))
  expect(sent).toEqual({ name: 'read', inputResponses: answers })
})

test('a task id that two mounts have is made distinct in every message of its upstream', async () => {
  const ids = createTaskIds()
  ids.join('demo').shown({ taskId: '1' })
  const tasks = ids.join('other')
  tasks.shown({ taskId: '1' })
  const heard: unknown[] = []
  const upstream = target(async (_method, params, { onNotification, onAsk, signal }) => {
    heard.push(params)
    onNotification?.('notifications/tasks/status', { taskId: '1' })
    await onAsk?.({ method: 'elicitation/create', params: { taskId: '1' } }, signal)
    return { taskId: '1' }
  })
  const call = callBy(
    { era: 'legacy', capabilities: { elicitation: {} } },
    {
      forward: (_, params) => void heard.push(params),
      ask: async ({ params }) => ({ n: heard.push(params) }),
    },
  )
  const asked = { method: 'tasks/get', params: { taskId: 'other:1' }, isSafe: true }
  expect(await createRelayedCalls().run({ ...upstream, tasks }, asked, call)).toEqual({ taskId: 'other:1' })
  expect(heard).toEqual([{ taskId: '1' }, { taskId: 'other:1' }, { taskId: 'other:1' }])
})

test('a mount that answers for a task owns it, even if the answer does not name it', async () => {
  const ids = createTaskIds()
  const tasks = ids.join('demo')
  const upstream = { ...target(async () => ({ content: [] })), tasks }
  await createRelayedCalls().run(
    upstream,
    { method: 'tasks/result', params: { taskId: '1' }, isSafe: true },
    callBy({}),
  )
  expect(tasks.owns('1')).toBe(true)
  expect(ids.join('other').shown({ taskId: '1' })).toEqual({ taskId: 'other:1' })
})

const sure = { method: 'elicitation/create', params: { message: 'Sure?' } }
const able = { capabilities: { elicitation: {} } }

test('a task that asks in its description is authorized like any other question', async () => {
  const description = { resultType: 'complete', taskId: '1', status: 'input_required', inputRequests: { sure } }
  const authorized: unknown[] = []
  const upstream: RelayTarget = {
    ...target(async () => description),
    questions: {
      async authorize(question) {
        authorized.push(question)
        return { question: { ...question, params: { message: 'marked' } }, end() {} }
      },
    },
  }
  const asked = { method: 'tasks/get', params: { taskId: '1' }, isSafe: true }
  const result = await createRelayedCalls().run(upstream, asked, callBy(able))
  expect(result).toMatchObject({ status: 'input_required', inputRequests: { sure: { params: { message: 'marked' } } } })
  expect(authorized).toEqual([sure])
  const unable = createRelayedCalls().run(upstream, asked, callBy({}))
  await expect(unable).rejects.toMatchObject({ code: -32021 })
})

test('questions that were authorized are recorded as cancelled if a later one of their result is refused', async () => {
  const inputRequests = { sure, refused: sure }
  const endings: unknown[] = []
  let count = 0
  const upstream: RelayTarget = {
    ...target(async () => ({ resultType: 'input_required', inputRequests })),
    questions: {
      async authorize(question) {
        if (++count === 2) throw new RpcError(-32005, 'Too many questions.')
        return { question, end: (ending) => void endings.push(ending) }
      },
    },
  }
  const outcome = createRelayedCalls().run(upstream, request, callBy(able))
  await expect(outcome).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('Too many') })
  expect(endings).toMatchObject([{ outcome: 'cancelled' }])
})

test('a legacy upstream that asks many questions at once gets a modern client to answer 16 in a round', async () => {
  const calls = createRelayedCalls()
  const upstream = asking(...Array<string>(40).fill('elicitation/create'))
  const rounds: number[] = []
  let result: object = {}
  for (let answers = {}, state: unknown; !('content' in result);) {
    result = await calls.run(upstream, request, callBy(able, { answers, state }))
    const { inputRequests = {}, state: next } = result as InputRequired
    const keys = Object.keys(inputRequests)
    if (keys.length > 0) rounds.push(keys.length)
    answers = Object.fromEntries(keys.map((key) => [key, {}]))
    state = next
  }
  expect(rounds).toEqual([16, 16, 8])
})

test('a call asks its client 100 times at most', async () => {
  let asked = 0
  const ask = async () => ({ count: ++asked })
  const upstream = asking(...Array<string>(150).fill('elicitation/create'))
  await createRelayedCalls().run(upstream, request, callBy({ ...able, era: 'legacy' }, { ask }))
  expect(asked).toBe(100)
})

test('what an upstream sends while no client waits is kept up to a size', async () => {
  const calls = createRelayedCalls()
  const line = { level: 'error', data: 'x'.repeat(1024 * 1024) }
  const asked = Promise.withResolvers<void>()
  const upstream = target(async (_method, _params, { onAsk, onNotification, signal }) => {
    const answer = onAsk?.(sure, signal)
    await asked.promise
    for (let count = 0; count < 20; count++) onNotification?.('notifications/message', line)
    await answer
    return { content: [] }
  })
  const { inputRequests = {}, state } = (await calls.run(upstream, request, callBy(able))) as InputRequired
  asked.resolve()
  const heard: unknown[] = []
  const answers = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, {}]))
  await new Promise((resolve) => setImmediate(resolve))
  await calls.run(upstream, request, callBy(able, { answers, state, forward: (_, params) => void heard.push(params) }))
  expect(heard.length).toBeGreaterThan(0)
  expect(heard.length).toBeLessThan(3)
})

test('a notice about a task reaches the client without the questions of the task', async () => {
  const heard: unknown[] = []
  const upstream = target(async (_method, _params, { onNotification }) => {
    onNotification?.('notifications/tasks', { status: 'input_required', inputRequests: { sure } })
    return { content: [] }
  })
  const call = callBy(able, { forward: (_, params) => void heard.push(params) })
  await createRelayedCalls().run(upstream, request, call)
  expect(heard).toEqual([{ status: 'input_required' }])
})

test.each([
  ['questions', { sure }],
  ['nothing', undefined],
])('an upstream that asks %s again and again ends its call', async (_, inputRequests) => {
  const calls = createRelayedCalls()
  const upstream = target(async () => ({ resultType: 'input_required', ...(inputRequests && { inputRequests }) }))
  let state: unknown
  let rounds = 0
  const again = async () => {
    for (; rounds < 200; rounds++) {
      const result = await calls.run(upstream, request, callBy(able, { state, answers: { sure: {} } }))
      state = (result as InputRequired).state
    }
  }
  await expect(again()).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('100 times') })
  expect(rounds).toBe(100)
})
