/** The streams and calls of a token end when the token ends. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventStream } from './event-stream.ts'
import { connectLegacy } from './legacy-connection.ts'
import { modernStream } from './modern-request.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { hello, openSsePair } from './sse-pair.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

test('every kind of stream of a revoked token ends, and its calls are cancelled', async () => {
  const { token, id } = await hub.call('issue_token', { role: 'human' })
  const streams = await openAll(String(token), 'revoked')
  const mine = await openAll(hub.token, 'kept')
  await hub.call('revoke_token', { id })

  await Promise.all(Object.values(streams).map((stream) => stream.ended))
  await expect
    .poll(() => hub.call('test_calls'), patience)
    .toMatchObject({ cancelled: expect.arrayContaining(['revoked legacy', 'revoked modern']) })
  expect(await hub.call('test_calls')).toMatchObject({
    running: expect.arrayContaining(['kept legacy', 'kept modern']),
  })
  for (const label of ['kept legacy', 'kept modern']) await hub.call('test_finish', { label, words: 'kept' })
  expect(await mine.call.message()).toMatchObject({ result: {} })
  expect(await mine.modernCall.message()).toMatchObject({ result: {} })
  for (const stream of Object.values(mine)) stream.close()
})

test('every kind of stream of an expired token ends', async () => {
  const { token } = await hub.call('issue_token', { role: 'human', expires_in: 4 })
  const streams = await openAll(String(token), 'expired')
  await Promise.all(Object.values(streams).map((stream) => stream.ended))
})

test('a tool that ignores its signal does not keep a stream of a revoked token open', async () => {
  const { token, id } = await hub.call('issue_token', { role: 'human' })
  const connection = await connectLegacy(hub, { token: String(token) })
  const call = { name: 'test_deaf', arguments: {} }
  using legacy = await connection.stream('tools/call', { ...call, _meta: { progressToken: 1 } })
  using modern = await modernStream(hub, 'tools/call', call, { token: String(token), meta: { progressToken: 1 } })
  using pair = await openSsePair(hub, { token: String(token) })
  await pair.post(hello)
  await pair.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  await hub.call('revoke_token', { id })

  await Promise.all([legacy.ended, modern.ended, pair.stream.ended])
})

interface Streams {
  readonly notices: EventStream
  readonly call: EventStream
  /** The stream of a call that was closed and resumed. */
  readonly resumed: EventStream
  readonly modernCall: EventStream
  readonly listener: EventStream
  readonly pair: EventStream
}

async function openAll(token: string, name: string): Promise<Streams> {
  const connection = await connectLegacy(hub, { token })
  const call = await guided(`${name} legacy`, (params) => connection.stream('tools/call', params))
  const lost = await guided(`${name} resumed`, (params) => connection.stream('tools/call', params))
  lost.close()
  const resumed = await connection.listen(lost.lastId)
  const modernCall = await guided(`${name} modern`, ({ _meta, ...params }) =>
    modernStream(hub, 'tools/call', params, { token, meta: _meta }),
  )
  const listener = await modernStream(
    hub,
    'subscriptions/listen',
    { notifications: { toolsListChanged: true } },
    { token },
  )
  const pair = await openSsePair(hub, { token })
  await pair.post(hello)
  const streams = { notices: await connection.listen(), call, resumed, modernCall, listener, pair: pair.stream }
  for (const [kind, { status }] of Object.entries(streams)) expect([kind, status]).toEqual([kind, 200])
  return streams
}

interface GuidedParams {
  readonly name: string
  readonly arguments: { readonly label: string }
  readonly _meta: { readonly progressToken: string }
}

/** A call whose stream has begun. */
async function guided(label: string, open: (params: GuidedParams) => Promise<EventStream>): Promise<EventStream> {
  const opening = open({ name: 'test_guided', arguments: { label }, _meta: { progressToken: label } })
  await hub.isRunning(label)
  await hub.call('test_step', { label })
  const stream = await opening
  expect(await stream.message()).toMatchObject({ method: 'notifications/progress' })
  return stream
}
