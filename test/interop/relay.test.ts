import { afterAll, beforeAll, describe } from 'vitest'
import { startRestartableHub } from '../worlds/restartable-hub.ts'
import { openTestSocket } from '../worlds/socket-hub.ts'
import { describeCommonRequests, type HubToTest } from './every-client.ts'
import { relayClients, toHub, toSocket } from './relay-clients.ts'

describe.each([
  { target: 'a hub', start: startRestartableHub, to: toHub },
  { target: 'a socket', start: startSocket, to: toSocket },
])('by relay to $target', ({ start, to }) => {
  let hub: HubToTest
  beforeAll(async () => void (hub = await start()))
  afterAll(() => hub[Symbol.asyncDispose]())

  const { connectV1, connectV2Legacy, connectV2Modern } = relayClients(to)
  describe.each([
    { name: 'sdk-v1', connect: connectV1 },
    { name: 'sdk-v2-legacy', connect: connectV2Legacy },
    { name: 'sdk-v2-modern', connect: connectV2Modern },
  ])('$name', ({ name, connect }) => describeCommonRequests(name, connect, () => hub))
})

async function startSocket(): Promise<HubToTest> {
  const socket = await openTestSocket()
  return {
    endpoint: { url: socket.path, token: '' },
    call: socket.call,
    [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose](),
  }
}
