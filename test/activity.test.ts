/** A session that waits for a person is reported once, to the event log and to the hooks, also over restarts of the hub. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import type { OwnHub } from './worlds/own-hub.ts'
import { patience } from './worlds/own-hub.ts'
import { sessionOf, start, startSessionHub } from './worlds/session-hub.ts'

const signalbox = fileURLToPath(new URL('../bin/signalbox', import.meta.url))

/** A hub whose hook writes its notifications to a file, and a session that reports as its activity what is typed into it. */
async function begin() {
  const file = join(temporaryDirectory(), 'notifications')
  const hook = `{ echo "$SIGNALBOX_NOTIFY_TEXT"; cat; echo; } >> ${file}`
  const hub = await startSessionHub({ SIGNALBOX_NOTIFY_COMMAND: hook })
  const { id } = await start(hub, 'agent', `while read -r line; do '${signalbox}' report $line; done`)
  return {
    hub,
    id,
    type: (text: string) => hub.call('send_input', { name: 'agent', text, force: true }),
    is: (activity: object) => expect.poll(() => activityOf(hub), patience).toMatchObject(activity),
    notifications: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []),
    async changes() {
      const { events } = await hub.call('query_events', { session: id, type: 'activity-changed' })
      return (events as { payload: { is: string } }[]).map(({ payload }) => payload.is)
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

async function activityOf(hub: OwnHub) {
  return (await sessionOf(hub, 'agent')).activity
}

test('a person is notified once that an agent waits, with the reason and the link, and not again by the next hub', async () => {
  await using agent = await begin()
  const { hub, id, type, is, notifications, changes } = agent
  await type('waiting deploy-with-token=hunter2-hunter2')
  await is({ is: 'waiting' })
  await expect.poll(notifications, patience).toHaveLength(2)
  const [text, json] = notifications()
  const url = `http://127.0.0.1:${hub.port}/terminal/agent`
  expect(text).toBe(`agent waits for you (deploy-with-token=[redacted]): ${url}`)
  const { activity } = await sessionOf(hub, 'agent')
  expect(JSON.parse(String(json))).toEqual({ id, name: 'agent', activity, session_url: url })

  const before = await changes()
  expect(before.at(-1)).toBe('waiting')
  await hub.restart('SIGKILL')
  // The activity is unchanged, with the same time and reason.
  expect((await sessionOf(hub, 'agent')).activity).toEqual(activity)
  await type('waiting another-thing')
  await is({ is: 'waiting', reason: 'another-thing', since: activity.since })
  await type('idle')
  await is({ is: 'idle' })
  await type('waiting once-more')
  await is({ is: 'waiting', reason: 'once-more' })
  await expect.poll(() => notifications().length, patience).toBe(4)
  expect((await changes()).slice(before.length)).toEqual(['idle', 'waiting'])
})

test('an agent that a person starts in a shell is recognized by its program until it ends', async () => {
  await using hub = await startSessionHub()
  const program = join(temporaryDirectory(), 'claude')
  const dialog = String.raw`printf ' Do you want to proceed?\n ❯ 1. Yes\n\n Esc to cancel\n'; read -r _`
  writeFileSync(program, `#!/bin/sh\n${dialog}\n`, { mode: 0o755 })
  await start(hub, 'agent', '', { template: 'shell', command: 'exec bash --norc' })
  await expect.poll(() => activityOf(hub), patience).toMatchObject({ is: 'idle' })
  await hub.call('send_text', { session: 'agent', text: `clear; ${program}\r` })
  const asks = { is: 'waiting', reason: 'Do you want to proceed?', source: 'screen' }
  await expect.poll(() => activityOf(hub), patience).toMatchObject(asks)
  await hub.restart('SIGKILL')
  await hub.call('send_text', { session: 'agent', text: '\r' })
  await expect.poll(() => activityOf(hub), patience).toMatchObject({ is: 'idle', source: 'screen' })
  // Also as a child of another program, as with npx, and after some time at the shell.
  await hub.call('send_text', { session: 'agent', text: `clear; sh -c '${program}; true'\r` })
  await expect.poll(() => activityOf(hub), patience).toMatchObject(asks)
})

test('the next hub checks an activity that the agent did not report, and reports a change', async () => {
  await using hub = await startSessionHub()
  const { id } = await start(hub, 'agent', '', { template: 'shell', command: 'exec bash --norc' })
  await expect.poll(() => activityOf(hub), patience).toMatchObject({ is: 'idle', source: 'screen' })
  await hub.call('send_input', { name: 'agent', text: 'sleep 600' })
  await expect.poll(() => activityOf(hub), patience).toMatchObject({ is: 'working' })
  const { since } = await activityOf(hub)
  await hub.restart('SIGKILL')
  expect(await activityOf(hub)).toMatchObject({ is: 'working', since })
  await hub.call('send_keys', { session: 'agent', keys: 'Ctrl+c' })
  await expect.poll(() => activityOf(hub), patience).toMatchObject({ is: 'idle' })
  const kinds = async () => {
    const { events } = await hub.call('query_events', { session: id, type: 'activity-changed' })
    return (events as { payload: { is: string } }[]).map(({ payload }) => payload.is)
  }
  await expect.poll(async () => (await kinds()).slice(-3), patience).toEqual(['idle', 'working', 'idle'])
})
