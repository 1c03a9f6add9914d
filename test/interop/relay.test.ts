import { openTestSocket } from '../worlds/socket-hub.ts'
import { describeEveryClient, type HubToTest } from './every-client.ts'
import { relayClients, toHub, toSocket } from './relay-clients.ts'

const overHttp = relayClients(toHub)
describeEveryClient('SDK v1 by relay to a hub', overHttp.connectV1)
describeEveryClient('SDK v2, legacy, by relay to a hub', overHttp.connectV2Legacy)
describeEveryClient('SDK v2, modern, by relay to a hub', overHttp.connectV2Modern)

const overSocket = relayClients(toSocket)
describeEveryClient('SDK v1 by relay to a socket', overSocket.connectV1, startSocket)
describeEveryClient('SDK v2, legacy, by relay to a socket', overSocket.connectV2Legacy, startSocket)
describeEveryClient('SDK v2, modern, by relay to a socket', overSocket.connectV2Modern, startSocket)

async function startSocket(): Promise<HubToTest> {
  const socket = await openTestSocket()
  return {
    endpoint: { url: socket.path, token: '' },
    call: socket.call,
    [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose](),
  }
}
