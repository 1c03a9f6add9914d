import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OpencodeClient } from './client.ts'
import { createOpencodeClient } from './client.ts'

const never = new AbortController().signal

/** Every request of the client. */
const requests: Readonly<Record<keyof OpencodeClient, (client: OpencodeClient) => Promise<unknown>>> = {
  prove: (client) => client.prove(never),
  events: (client) => client.events(never).next(),
  statuses: (client) => client.statuses(),
  session: (client) => client.session('ses_1'),
  messages: (client) => client.messages('ses_1'),
  permissions: (client) => client.permissions(),
  questions: (client) => client.questions(),
  createSession: (client) => client.createSession(),
  select: (client) => client.select('ses_1'),
  prompt: (client) => client.prompt('ses_1', 'a text of the hub'),
  abort: (client) => client.abort('ses_1'),
  replyPermission: (client) => client.replyPermission('per_1', 'once'),
  replyQuestion: (client) => client.replyQuestion('que_1', [['yes']]),
  toast: (client) => client.toast('title', 'message'),
}

describe.each([302, 307, 308])('a program that answers as opencode with the redirect %i', (status) => {
  const heard: string[] = []
  let isAsked = false
  const canary = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`)
    response.end('{}')
  })
  const impostor = createServer((_: IncomingMessage, response: ServerResponse) => {
    isAsked = true
    response.writeHead(status, { location: `http://127.0.0.1:${portOf(canary)}/private` }).end()
  })

  beforeAll(async () => {
    for (const server of [canary, impostor]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    }
  })
  beforeEach(() => {
    isAsked = false
  })
  afterAll(() => {
    for (const server of [canary, impostor]) server.close().closeAllConnections()
  })

  test.each(Object.entries(requests))('leads %s to no other program', async (_, request) => {
    const client = createOpencodeClient({ port: portOf(impostor), password: 'secret' })
    await expect(request(client)).rejects.toThrow(/opencode/)
    expect(isAsked).toBe(true)
    expect(heard).toEqual([])
  })
})

function portOf(server: ReturnType<typeof createServer>): number {
  return (server.address() as AddressInfo).port
}
