/** Push messages, with a real hub and a stand-in for the push service that decrypts what arrives. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Endpoint, callTool } from './harness/modern-call.ts'
import { type OwnHub, patience } from './worlds/own-hub.ts'
import { type PushService, type Subscription, startPushService } from './worlds/push-service.ts'
import { failureOf, start, startSessionHub } from './worlds/session-hub.ts'

const signalbox = fileURLToPath(new URL('../bin/signalbox', import.meta.url))

describe('a device that has subscribed', () => {
  const opened = new AsyncDisposableStack()
  let hub: OwnHub
  let service: PushService
  let agent: Endpoint

  beforeAll(async () => {
    service = opened.use(await startPushService())
    hub = opened.use(await startSessionHub({ SIGNALBOX_PUSH_PRIVATE_ENDPOINTS: 'on' }))
    await start(hub, 'fix', 'cat', { template: 'shell', tools: ['send_text'] })
    const { token } = await hub.call('issue_token', { role: 'agent', session: 'fix' })
    agent = { url: hub.url, token: String(token) }
  })
  afterAll(() => opened.disposeAsync())

  const arrivedAt = ({ endpoint }: Subscription) => service.received.filter((each) => each.endpoint === endpoint)
  const devices = async () => (await hub.call('list_push_subscriptions'))['subscriptions'] as { id: string }[]

  /** The agent makes a call that waits for a person. Returns the id of the approval. */
  async function ask(text: string, call = callTool(agent, 'terminal_send_text', { text })): Promise<string> {
    call.catch(() => {})
    const find = async () => {
      const { approvals } = await hub.call('list_approvals')
      return (approvals as { id: string; arguments: { text: string } }[]).find((each) => each.arguments.text === text)
    }
    await expect.poll(find, patience).toBeDefined()
    return (await find())!.id
  }

  test('is told once that a call waits, by names only, also over a restart', async () => {
    const browser = service.subscribe()
    await hub.call('subscribe_push', { ...browser, label: 'phone' })
    const { public_key: key } = await hub.call('list_push_subscriptions')
    const id = await ask('password=hunter2-hunter2')
    await expect.poll(() => arrivedAt(browser), patience).toHaveLength(1)
    const [{ message, senderKey, headers }] = arrivedAt(browser) as [PushService['received'][number]]
    expect(message).toEqual({
      title: 'fix',
      body: 'Wants to call terminal_send_text',
      tag: `approval:${id}`,
      path: `approvals/${id}`,
    })
    expect(senderKey).toBe(key)
    expect(headers).toMatchObject({ ttl: '3600', urgency: 'high', 'content-encoding': 'aes128gcm' })
    expect(statSync(join(hub.home, 'push.key')).mode & 0o777).toBe(0o600)

    await hub.restart('SIGTERM')
    expect(await hub.call('list_push_subscriptions')).toMatchObject({ public_key: key })
    const next = await ask('after the restart')
    await expect.poll(() => arrivedAt(browser), patience).toHaveLength(2)
    expect(arrivedAt(browser).map(({ message: each }) => (each as { tag: string }).tag)).toEqual([
      `approval:${id}`,
      `approval:${next}`,
    ])
    for (const { id: device } of await devices()) await hub.call('unsubscribe_push', { id: device })
    expect(await devices()).toEqual([])
  })

  test('is told that a session waits for a person', async () => {
    const browser = service.subscribe()
    await hub.call('subscribe_push', { ...browser })
    await start(hub, 'waiter', `'${signalbox}' report waiting secret-reason; cat`)
    await expect.poll(() => arrivedAt(browser), patience).toHaveLength(1)
    const { id } = await hub.call('get_session', { name: 'waiter' })
    expect(arrivedAt(browser)[0]?.message).toEqual({
      title: 'waiter',
      body: 'Waits for you',
      tag: `session:${String(id)}`,
      path: 'terminal/waiter',
    })
  })

  test('is tested, keeps its id when it subscribes again, and goes when its push service forgets it', async () => {
    const browser = service.subscribe()
    const { id } = await hub.call('subscribe_push', { ...browser, label: 'old name' })
    expect(await hub.call('subscribe_push', { ...browser, label: 'new name' })).toMatchObject({
      id,
      label: 'new name',
      service: new URL(service.origin).host,
    })
    expect(await hub.call('test_push', { id })).toEqual({ sent: 1, failed: [] })
    expect(arrivedAt(browser)[0]?.message).toMatchObject({ title: 'Signalbox', path: 'settings/notifications' })

    service.answer = 403
    expect(await hub.call('test_push', { id })).toMatchObject({
      sent: 0,
      failed: [{ id, reason: 'the push service answered 403' }],
    })
    expect(await devices()).toContainEqual(
      expect.objectContaining({ id, last_error: 'the push service answered 403', sent_at: expect.any(String) }),
    )
    service.answer = 410
    await hub.call('test_push', { id })
    expect(await devices()).not.toContainEqual(expect.objectContaining({ id }))
    service.answer = 201
  })

  test('gets nothing more when its token is revoked', async () => {
    const { token, id } = await hub.call('issue_token', { role: 'human' })
    const browser = service.subscribe()
    await callTool({ url: hub.url, token: String(token) }, 'subscribe_push', { ...browser })
    const other = service.subscribe()
    await hub.call('subscribe_push', { ...other })
    await hub.call('revoke_token', { id })
    await ask('after the end of a token')
    await expect.poll(() => arrivedAt(other), patience).toHaveLength(1)
    expect(arrivedAt(browser)).toEqual([])
  })

  test('does not delay a call if its push service never answers', async () => {
    const browser = service.subscribe()
    await hub.call('subscribe_push', { ...browser })
    service.answer = undefined
    const call = callTool(agent, 'terminal_send_text', { text: 'silent service' })
    const id = await ask('silent service', call)
    await expect.poll(() => arrivedAt(browser), patience).toHaveLength(1)
    await hub.call('decide_approval', { id, decision: 'approve' })
    expect(await call).toMatchObject({ success: true })
    service.answer = 201
  })
})

test('a hub sends only to the internet, and accepts only a limited number of devices', async () => {
  await using hub = await startSessionHub()
  await using service = await startPushService()
  const { public_key, auth_secret } = service.subscribe()
  const refusal = (endpoint: string) => failureOf(hub, 'subscribe_push', { endpoint, public_key, auth_secret })
  for (const endpoint of ['http://push.example/1', 'ftp://push.example/1', 'nonsense', 'https://a:b@push.example/1'])
    expect(await refusal(endpoint)).toContain('pass the https address')
  for (const endpoint of ['https://127.0.0.1/1', 'https://[::1]/1', 'https://169.254.169.254/1', 'https://10.0.0.1/1'])
    expect(await refusal(endpoint)).toContain('private network')
  expect(await refusal(`https://push.example/${'x'.repeat(2_000)}`)).toContain('endpoint')
  const short = { endpoint: 'https://push.example/1', public_key: 'AAAA', auth_secret }
  expect(await failureOf(hub, 'subscribe_push', short)).toContain('65 bytes')

  // A name is resolved when the hub connects.
  const { id } = await hub.call('subscribe_push', { endpoint: 'https://localhost/1', public_key, auth_secret })
  const { failed } = await hub.call('test_push', { id })
  expect(failed).toMatchObject([{ reason: expect.stringContaining('private network') }])

  for (let count = 1; count < 50; count++)
    await hub.call('subscribe_push', { endpoint: `https://push.example/${count}`, public_key, auth_secret })
  expect(await refusal('https://push.example/51')).toContain('There are 50 subscriptions already')
})
