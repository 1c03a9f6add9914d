/** Resources of sessions, jobs and templates: whoever subscribed is told of a change, and then reads it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventStream } from '../http/event-stream.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { faultsIn, type OwnHub, patience } from '../http/own-hub.ts'
import { start, startSessionHub } from './session-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startSessionHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

describe.each([
  ['legacy', listenLegacy],
  ['modern', listenModern],
] as const)('a %s client', (era, listen) => {
  const named = (part: string) => `${era}-${part}`

  test('is told of a new session in the list, and reads it', async () => {
    using stream = await listen(['resource://sessions'])
    await start(hub, named('listed'), 'cat')
    await toldOf(stream, 'resource://sessions')
    expect(await read('resource://sessions')).toContain(`"name":"${named('listed')}"`)
  })

  test('is told of a change of one session, by its name and by its id, and not of others', async () => {
    const { id } = await start(hub, named('one'), 'cat')
    await start(hub, named('other'), 'cat')
    // From here on nothing of the other changes by itself.
    const other = () => hub.call('get_session', { name: named('other') })
    await expect.poll(other, patience).toMatchObject({ activity: { is: 'working' } })
    using byName = await listen([`resource://sessions/${named('one')}`])
    using byId = await listen([`resource://sessions/${id}`])
    using ofOther = await listen([`resource://sessions/${named('other')}`])
    await hub.call('update_session', { name: named('one'), description: 'changed' })
    await toldOf(byName, `resource://sessions/${named('one')}`)
    await toldOf(byId, `resource://sessions/${id}`)
    expect(JSON.parse(await read(`resource://sessions/${id}`))).toMatchObject({ description: 'changed' })
    expect(urisOf(ofOther)).toEqual([])
  })

  test('is told of its screen and its log', async () => {
    await start(hub, named('screen'), 'stty -echo; while read -r line; do echo "heard $line"; done')
    const [screen, log] = ['screen', 'log'].map((part) => `resource://sessions/${named('screen')}/${part}`) as [
      string,
      string,
    ]
    using stream = await listen([screen, log])
    await hub.call('send_input', { name: named('screen'), text: 'this' })
    await toldOf(stream, screen)
    await toldOf(stream, log)
    for (const uri of [screen, log]) await expect.poll(() => read(uri), patience).toContain('heard this')
  })

  test('is told of a job that begins and ends', async () => {
    using stream = await listen(['resource://jobs'])
    await hub.call('enqueue_one_off', { name: named('job'), command: 'exit 3' })
    await toldOf(stream, 'resource://jobs')
    const job = { session: named('job'), status: 'failed', exit_code: 3 }
    const jobs = async () => (JSON.parse(await read('resource://jobs')) as { jobs: unknown[] }).jobs
    await expect.poll(jobs, patience).toContainEqual(expect.objectContaining(job))
  })

  test('is told of a template that somebody writes', async () => {
    using stream = await listen(['resource://templates'])
    const template = { name: named('template'), command: 'cat' }
    writeFileSync(join(hub.home, 'templates', `${template.name}.json`), JSON.stringify(template))
    await toldOf(stream, 'resource://templates')
    await expect.poll(() => read('resource://templates'), patience).toContain(named('template'))
  })
})

test('one that looked away while the hub was killed is told when it looks again', async () => {
  const connection = await connectLegacy(hub)
  const uri = 'resource://sessions'
  await connection.request('resources/subscribe', { uri })
  await start(hub, 'meanwhile', 'cat')
  await hub.restart('SIGKILL')
  using stream = await connection.listen()
  await toldOf(stream, uri)
  expect(await read(uri)).toContain('"name":"meanwhile"')
})

async function listenLegacy(uris: readonly string[]): Promise<EventStream> {
  const connection = await connectLegacy(hub)
  for (const uri of uris) {
    expect(await connection.request('resources/subscribe', { uri })).toMatchObject({ result: {} })
  }
  return connection.listen()
}

async function listenModern(uris: readonly string[]): Promise<EventStream> {
  const wish = { notifications: { resourceSubscriptions: uris } }
  const stream = await modernStream(hub, 'subscriptions/listen', wish)
  expect(await stream.message()).toMatchObject({ params: { notifications: { resourceSubscriptions: uris } } })
  return stream
}

async function toldOf(stream: EventStream, uri: string): Promise<void> {
  await expect.poll(() => urisOf(stream), patience).toContain(uri)
}

function urisOf({ messages }: EventStream): readonly string[] {
  const notices = messages as readonly { readonly method?: string; readonly params?: { readonly uri?: string } }[]
  return notices
    .filter(({ method }) => method === 'notifications/resources/updated')
    .map(({ params }) => params?.uri ?? '')
}

async function read(uri: string): Promise<string> {
  const { body } = await modern(hub, 'resources/read', { uri })
  return (body as { result: { contents: readonly { text: string }[] } }).result.contents[0]!.text
}
