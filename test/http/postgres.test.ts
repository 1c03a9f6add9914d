/** The hub on a real PostgreSQL: clients see no difference, and two hubs share tokens and connections. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDatabase } from '../postgres.ts'
import { connectLegacy, initialize } from './legacy-connection.ts'
import { modern, modernStream } from './modern-request.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'

const uri = 'test://counter/postgres'

const opened = new AsyncDisposableStack()
let env: Record<string, string>
let hub: OwnHub
beforeAll(async () => {
  const database = opened.use(await createDatabase(inject('postgresUrl')))
  env = { DATABASE_URL: database.url, SIGNALBOX_MAX_CONNECTIONS_PER_TOKEN: '5' }
  hub = opened.use(await startOwnHub({ env }))
})
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await opened.disposeAsync()
  expect(faults).toEqual([])
})

test('many connections opened at once stay within the limit of their token', async () => {
  const { token } = await hub.call('issue_token', { role: 'human' })
  const answers = await Promise.all(Array.from({ length: 30 }, () => initialize(hub, { token: String(token) })))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(5)
  expect(statuses.filter((status) => status === 429)).toHaveLength(25)
})

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a connection survives %s, and no notice is lost or duplicated',
  async (signal) => {
    const connection = await connectLegacy(hub)
    await connection.request('resources/subscribe', { uri })
    using first = await connection.listen()
    await hub.call('test_change', { uris: [uri] })
    expect(await first.message()).toMatchObject({ params: { uri } })
    const lastId = first.lastId
    first.close()
    await expect.poll(() => hub.metric('signalbox_streams'), patience).toBe(0)
    await hub.call('test_change', { uris: [uri] })
    await hub.restart(signal)

    using second = await connection.listen(lastId)
    expect(await second.message()).toMatchObject({ params: { uri } })
    await hub.call('test_change', { uris: [uri] })
    await expect.poll(() => second.messages.length, patience).toBe(2)
    await connection.end()
  },
)

test('a request that ran when the hub was killed gets an error: its outcome is unknown', async () => {
  const connection = await connectLegacy(hub)
  const label = 'killed over postgres'
  const params = { name: 'test_guided', arguments: { label }, _meta: { progressToken: 1 } }
  const streaming = connection.stream('tools/call', params)
  await hub.isRunning(label)
  await hub.call('test_step', { label })
  using stream = await streaming
  await stream.message()
  await hub.restart('SIGKILL')

  using again = await connection.listen(stream.lastId)
  expect(await again.message()).toMatchObject({ id: 1, error: { message: expect.stringMatching(/unknown/) } })
  await connection.end()
})

describe('a second hub on the same database', () => {
  test('accepts the tokens of the first, and ends the streams of a token that the first revokes', async () => {
    await using other = await startOwnHub({ env })
    const { token, id } = await hub.call('issue_token', { role: 'human' })
    using listener = await modernStream(
      other,
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      {
        token: String(token),
      },
    )
    await listener.message()
    await hub.call('revoke_token', { id })

    await listener.ended
    expect((await modern(other, 'tools/list', {}, { token: String(token) })).status).toBe(401)
    expect(faultsIn(other.log())).toEqual([])
  })

  test('does not disturb running calls of the first when it starts and ends', async () => {
    const connection = await connectLegacy(hub)
    const label = 'while another starts'
    const params = { name: 'test_guided', arguments: { label }, _meta: { progressToken: 1 } }
    const streaming = connection.stream('tools/call', params)
    await hub.isRunning(label)
    await hub.call('test_step', { label })
    using stream = await streaming
    await stream.message()
    const other = await startOwnHub({ env })
    await other.end('SIGTERM')
    await other[Symbol.asyncDispose]()
    await hub.call('test_finish', { label, words: 'undisturbed' })

    expect(await stream.message()).toMatchObject({ id: 1, result: { structuredContent: { words: 'undisturbed' } } })
    await connection.end()
  })
})
