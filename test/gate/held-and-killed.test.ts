/** A call waits for a person when the hub is killed. Its client reconnects by itself and gets the true outcome. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import { patience } from '../worlds/own-hub.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { type GateWorld, startGateWorld } from '../worlds/gate-world.ts'
import { aTool } from './paths.ts'

const called = { name: 'up_act_now', arguments: { a: 1 } }

interface AnyClient {
  callTool(params: typeof called): Promise<unknown>
  close(): Promise<void>
}

async function connectV1({ agent }: GateWorld, observedFetch: typeof fetch): Promise<AnyClient> {
  const client = new ClientV1({ name: 'v1', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${agent.token}` } }
  await client.connect(new TransportV1(new URL(agent.url), { requestInit, fetch: observedFetch }))
  return client
}

async function connectV2({ agent }: GateWorld, observedFetch: typeof fetch): Promise<AnyClient> {
  const client = new ClientV2({ name: 'v2', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  const requestInit = { headers: { authorization: `Bearer ${agent.token}` } }
  await client.connect(new TransportV2(new URL(agent.url), { requestInit, fetch: observedFetch }))
  return client
}

/** Counts the requests without a first event yet. Requests during an outage are noted, and wait until it is over. */
function createObservedFetch() {
  let unanswered = 0
  let outage: Promise<void> | undefined
  const triedAt: number[] = []
  const observed: typeof fetch = async (...request) => {
    if (outage) triedAt.push(performance.now())
    await outage
    unanswered++
    try {
      const response = await fetch(...request)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      return isStream ? await withFirstEvent(response) : response
    } finally {
      unanswered--
    }
  }
  return {
    observed,
    triedAt,
    unanswered: () => unanswered,
    async during(outageUntil: Promise<void>) {
      outage = outageUntil
      await outage
      outage = undefined
    },
  }
}

async function withFirstEvent(response: Response): Promise<Response> {
  const [peeked, body] = response.body!.tee()
  const reader = peeked.getReader()
  await reader.read()
  void reader.cancel()
  return new Response(body, response)
}

test.each([
  ['v1', connectV1],
  ['v2', connectV2],
])(
  'the SDK %s with its default options is told to make the same call again, and then gets its result',
  async (_, connect) => {
    await using world = await startGateWorld()
    await world.setPolicy('default: ask')
    const { observed, triedAt, unanswered, during } = createObservedFetch()
    const client = await connect(world, observed)
    // A stream for notices that began later would reset the time after which the client reconnects.
    await expect.poll(unanswered, patience).toBe(0)
    const lost = client.callTool(called)
    const id = await world.pending()
    // Without the first event of the answer, the client would not know that it can resume.
    await expect.poll(unanswered, patience).toBe(0)
    expect(await approvalOf(world, id)).toMatchObject({ status: 'pending', waiting: true })
    const killedAt = performance.now()
    await during(world.restart('SIGKILL', { awayMs: 11_000 }))
    // SDK clients try twice, so the hub may be away for twice this time.
    expect(Math.min(...triedAt) - killedAt).toBeGreaterThan(9_900)

    expect(await lost).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(new RegExp(`^Waiting for approval ${id}.*Make the same call again`)) }],
    })
    expect(world.deeds()).toEqual([])
    expect(await approvalOf(world, id)).toMatchObject({ status: 'pending', waiting: false })
    expect(await world.call('decide_approval', { id, decision: 'approve' })).toMatchObject({
      status: 'approved',
      waiting: false,
      note: expect.stringMatching(/has moved on.*signalbox send agent "approved, go on"/),
    })
    expect(await client.callTool(called)).not.toHaveProperty('isError')
    expect(world.deeds()).toEqual(['tools/call Act-Now'])
    await client.close()
  },
)

test('a call that was approved and running when the hub was killed has an unknown outcome', async () => {
  await using world = await startGateWorld()
  await world.setPolicy('default: ask')
  writeFileSync(join(world.home, 'deeds.stalled'), '')
  const connection = await connectLegacy(world.agent)
  using stream = await connection.stream(aTool.method, aTool.params)
  const id = await world.pending()
  // Clients without a retry time give up before the hub is up again.
  expect(await stream.next()).toMatchObject({ retry: '3000', id: expect.any(String) })
  expect(await world.decide(id, 'approve')).toBe('approved')
  await expect.poll(() => world.deeds(), patience).toEqual(['tools/call Act-Now'])
  await world.restart('SIGKILL')

  using resumed = await connection.listen(stream.lastId)
  expect(await resumed.message()).toMatchObject({ error: { code: -32001, data: { outcome: 'unknown' } } })
})

test('a session does not wait for a client that has left, and the client gets its answer if it comes back', async () => {
  const holdSeconds = 4
  await using world = await startGateWorld({ SIGNALBOX_APPROVAL_HOLD: String(holdSeconds) })
  await world.setPolicy('default: ask')
  const connection = await connectLegacy(world.agent, { token: world.agent.token })
  const askedAt = Date.now()
  const asked = await connection.stream('tools/call', called)
  const id = await world.pending()
  await expect.poll(() => asked.lastId, patience).toBeDefined()
  const activity = async () => ((await world.call('get_session', { name: 'agent' }))['activity'] as { is: string }).is
  const isWaiting = async () => [await activity(), (await approvalOf(world, id))['waiting']]
  await expect.poll(isWaiting, patience).toEqual(['waiting', true])
  asked.close()
  await expect.poll(async () => (await approvalOf(world, id))['waiting'], patience).toBe(false)
  await expect.poll(activity, patience).not.toBe('waiting')
  // Also after the time for which the call would have been held.
  await until(() => Date.now() > askedAt + (holdSeconds + 1) * 1_000)
  expect(await activity()).not.toBe('waiting')
  expect(await approvalOf(world, id)).toMatchObject({ status: 'pending', waiting: false })

  await world.call('decide_approval', { id, decision: 'approve' })
  using resumed = await connection.listen(asked.lastId)
  await expect.poll(() => JSON.stringify(resumed.messages), patience).toContain('"result"')
  expect(world.deeds()).toEqual(['tools/call Act-Now'])
})

async function approvalOf(world: GateWorld, id: string): Promise<Readonly<Record<string, unknown>>> {
  return ((await world.call('list_approvals', { id }))['approvals'] as readonly Readonly<Record<string, unknown>>[])[0]!
}
