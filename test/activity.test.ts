/** That a session waits for a person is told once: to the log of events and to the hooks, over restarts of the hub. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import type { OwnHub } from './http/own-hub.ts'
import { patience } from './http/own-hub.ts'
import { sessionOf, start, startSessionHub } from './sessions/session-hub.ts'

const signalbox = fileURLToPath(new URL('../bin/signalbox', import.meta.url))

/** A hub whose hook writes down what it is told, and a session that says of itself what is typed into it. */
async function begin() {
  const told = join(temporaryDirectory(), 'told')
  const hook = `{ echo "$SIGNALBOX_NOTIFY_TEXT"; cat; echo; } >> ${told}`
  const hub = await startSessionHub({ SIGNALBOX_NOTIFY_COMMAND: hook })
  const { id } = await start(hub, 'agent', `while read -r said; do '${signalbox}' report $said; done`)
  return {
    hub,
    id,
    say: (text: string) => hub.call('send_input', { name: 'agent', text }),
    is: (activity: object) => expect.poll(() => activityOf(hub), patience).toMatchObject(activity),
    told: () => (existsSync(told) ? readFileSync(told, 'utf8').split('\n').filter(Boolean) : []),
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

test('a person is told once that an agent waits, with what for and where, and not again by the next hub', async () => {
  await using agent = await begin()
  const { hub, id, say, is, told, changes } = agent
  await say('waiting deploy-with-token=hunter2-hunter2')
  await is({ is: 'waiting' })
  await expect.poll(told, patience).toHaveLength(2)
  const [text, json] = told()
  const url = `http://127.0.0.1:${hub.port}/terminal/agent`
  expect(text).toBe(`agent waits for you (deploy-with-token=[redacted]): ${url}`)
  const { activity } = await sessionOf(hub, 'agent')
  expect(JSON.parse(String(json))).toEqual({ id, name: 'agent', activity, session_url: url })

  const before = await changes()
  expect(before.at(-1)).toBe('waiting')
  await hub.restart('SIGKILL')
  // As it was: since then, for this reason.
  expect((await sessionOf(hub, 'agent')).activity).toEqual(activity)
  await say('waiting another-thing')
  await is({ is: 'waiting', reason: 'another-thing', since: activity.since })
  await say('idle')
  await is({ is: 'idle' })
  await say('waiting once-more')
  await is({ is: 'waiting', reason: 'once-more' })
  await expect.poll(() => told().length, patience).toBe(4)
  expect((await changes()).slice(before.length)).toEqual(['idle', 'waiting'])
})

test('what an agent did not say of itself is looked up again, and told if it is another thing now', async () => {
  await using hub = await startSessionHub()
  const { id } = await start(hub, 'agent', '', { template: 'shell', command: 'exec bash --norc' })
  await expect.poll(() => activityOf(hub), patience).toMatchObject({ is: 'idle', source: 'screen' })
  await hub.call('send_input', { name: 'agent', text: 'until [ -e go ]; do sleep 0.05; done' })
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
