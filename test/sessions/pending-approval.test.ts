/** A session whose call waits for an approval is shown as waiting, with the reason, in every list of sessions. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { runInProcess } from '../fixtures/run-cli.ts'
import { callTool } from '../harness/modern-call.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { type OwnHub, patience } from '../worlds/own-hub.ts'
import { failureOf, sessionOf, start, startSessionHub } from '../worlds/session-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startSessionHub()))
afterAll(() => hub[Symbol.asyncDispose]())

test('a session is waiting while its call waits for an approval, and then shows its own activity again', async () => {
  const ask = await startAgent('asks')
  await start(hub, 'newer', 'cat')
  const before = await settled('asks', 'working')
  const uri = 'resource://sessions'
  using stream = await modernStream(hub, 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
  const waited = hub.call('wait_session', { name: 'asks', for: 'waiting', timeout_ms: 20_000 })

  const call = ask('one')
  const waiting = { is: 'waiting', reason: 'approval: terminal_send_text', source: 'approval', confidence: 1 }
  await expect.poll(() => sessionOf(hub, 'asks'), patience).toMatchObject({ activity: waiting, approvals_pending: 1 })
  expect(await waited).toMatchObject({ met: true, activity: waiting })
  await expect.poll(() => JSON.stringify(stream.messages), patience).toContain(uri)
  expect((await listed())[0]).toMatchObject({ name: 'asks', activity: waiting, approvals_pending: 1 })
  expect((await resource())[0]).toMatchObject({ name: 'asks', activity: waiting })
  const { out } = await runInProcess(['ls'], { env: { SIGNALBOX_HOME: hub.home } })
  expect(out.split('\n')[1]).toMatch(/^asks .*◆ waiting .*approval: terminal_send_text/)

  const second = ask('two')
  await expect
    .poll(() => sessionOf(hub, 'asks'), patience)
    .toMatchObject({ approvals_pending: 2, activity: { reason: 'approval: terminal_send_text and 1 more' } })

  await decideAll()
  await Promise.all([call, second])
  await expect
    .poll(() => sessionOf(hub, 'asks'), patience)
    .toMatchObject({ activity: { is: before.activity.is, source: before.activity.source }, approvals_pending: 0 })
  await expect.poll(async () => (await activityEvents('asks')).slice(-2), patience).toEqual(['waiting', 'working'])
})

test('a session keeps waiting at the next hub until its approval ends', async () => {
  const ask = await startAgent('survivor')
  await settled('survivor', 'working')
  ask('over the restart').catch(() => {})
  const waiting = { activity: { is: 'waiting', source: 'approval' }, approvals_pending: 1 }
  await expect.poll(() => sessionOf(hub, 'survivor'), patience).toMatchObject(waiting)
  const { activity } = await sessionOf(hub, 'survivor')
  await hub.restart('SIGKILL')
  expect(await sessionOf(hub, 'survivor')).toMatchObject({ ...waiting, activity })
  await decideAll('deny')
  await expect
    .poll(() => sessionOf(hub, 'survivor'), patience)
    .toMatchObject({ activity: { is: 'working' }, approvals_pending: 0 })
})

test('send_input is refused while a call is held, and works after the hold', async () => {
  const ask = await startAgent('held')
  await settled('held', 'working')
  ask('forgotten').catch(() => {})
  await expect.poll(() => sessionOf(hub, 'held'), patience).toMatchObject({ approvals_pending: 1 })
  const { approvals } = (await hub.call('list_approvals')) as unknown as { approvals: Approval[] }
  const input = { name: 'held', text: 'go on' }
  expect(await failureOf(hub, 'send_input', input)).toMatch(
    new RegExp(
      `Nothing was typed. Decide its approval ${approvals[0]?.id} first: signalbox approvals, or decide_approval`,
    ),
  )
  await hub.restart('SIGKILL')
  expect(await sessionOf(hub, 'held')).toMatchObject({ approvals_pending: 1 })
  expect(await hub.call('send_input', input)).toMatchObject({ ok: true })
  await decideAll('deny')
})

test('an ended session has no pending approvals', async () => {
  const ask = await startAgent('ends')
  ask('never').catch(() => {})
  await expect.poll(() => sessionOf(hub, 'ends'), patience).toMatchObject({ approvals_pending: 1 })
  await hub.call('kill_session', { name: 'ends' })
  await expect
    .poll(() => sessionOf(hub, 'ends'), patience)
    .toMatchObject({ activity: { is: 'idle', source: 'exit' }, approvals_pending: 0 })
})

/** Returns a function that makes a call of the agent which needs an approval. */
async function startAgent(name: string): Promise<(text: string) => Promise<unknown>> {
  await start(hub, name, 'echo ready; cat', { template: 'script', tools: ['send_text'] })
  const { token } = await hub.call('issue_token', { role: 'agent', session: name })
  return (text) => callTool({ url: hub.url, token: String(token) }, 'terminal_send_text', { text })
}

async function settled(name: string, is: string): Promise<Session> {
  await expect.poll(() => sessionOf(hub, name), patience).toMatchObject({ activity: { is } })
  return sessionOf(hub, name)
}

async function decideAll(decision = 'approve'): Promise<void> {
  const { approvals } = (await hub.call('list_approvals', { status: 'pending' })) as unknown as {
    approvals: Approval[]
  }
  for (const { id } of approvals) await hub.call('decide_approval', { id, decision })
}

async function listed(): Promise<readonly Session[]> {
  return (await hub.call('list_sessions'))['sessions'] as Session[]
}

async function resource(): Promise<readonly Session[]> {
  const { body } = await modern(hub, 'resources/read', { uri: 'resource://sessions' })
  const { text } = (body as { result: { contents: readonly { text: string }[] } }).result.contents[0]!
  return (JSON.parse(text) as { sessions: Session[] }).sessions
}

async function activityEvents(name: string): Promise<readonly string[]> {
  const { events } = (await hub.call('query_events', { session: name, type: 'activity-changed' })) as unknown as {
    events: { payload: { is: string } }[]
  }
  return events.map(({ payload }) => payload.is)
}
