/** Subscribers of sessions, jobs and templates get a notice of a change and then read the resource. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventStream } from '../http/event-stream.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { faultsIn, type OwnHub, patience } from '../worlds/own-hub.ts'
import { start, startSessionHub } from '../worlds/session-hub.ts'

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

  test('gets a notice of a new session in the list and reads it', async () => {
    using stream = await listen(['resource://sessions'])
    await start(hub, named('listed'), 'cat')
    await expectNotice(stream, 'resource://sessions')
    expect(await read('resource://sessions')).toContain(`"name":"${named('listed')}"`)
  })

  test('gets a notice of a change of one session, by name and by id, and not of others', async () => {
    const { id } = await start(hub, named('one'), 'cat')
    await start(hub, named('other'), 'cat')
    // From here on the other session does not change by itself.
    const other = () => hub.call('get_session', { name: named('other') })
    await expect.poll(other, patience).toMatchObject({ activity: { is: 'working' } })
    using byName = await listen([`resource://sessions/${named('one')}`])
    using byId = await listen([`resource://sessions/${id}`])
    using ofOther = await listen([`resource://sessions/${named('other')}`])
    await hub.call('update_session', { name: named('one'), description: 'changed' })
    await expectNotice(byName, `resource://sessions/${named('one')}`)
    await expectNotice(byId, `resource://sessions/${id}`)
    expect(JSON.parse(await read(`resource://sessions/${id}`))).toMatchObject({ description: 'changed' })
    expect(urisOf(ofOther)).toEqual([])
  })

  test('gets notices of the screen and the log of a session', async () => {
    await start(hub, named('screen'), 'stty -echo; while read -r line; do echo "heard $line"; done')
    const [screen, log] = ['screen', 'log'].map((part) => `resource://sessions/${named('screen')}/${part}`) as [
      string,
      string,
    ]
    using stream = await listen([screen, log])
    await hub.call('send_input', { name: named('screen'), text: 'this' })
    await expectNotice(stream, screen)
    await expectNotice(stream, log)
    for (const uri of [screen, log]) await expect.poll(() => read(uri), patience).toContain('heard this')
  })

  test('gets notices of a job that starts and ends', async () => {
    using stream = await listen(['resource://jobs'])
    await hub.call('enqueue_one_off', { name: named('job'), command: 'exit 3' })
    await expectNotice(stream, 'resource://jobs')
    const job = { session: named('job'), status: 'failed', exit_code: 3 }
    const jobs = async () => (JSON.parse(await read('resource://jobs')) as { jobs: unknown[] }).jobs
    await expect.poll(jobs, patience).toContainEqual(expect.objectContaining(job))
  })

  test('gets a notice of a new template file', async () => {
    using stream = await listen(['resource://templates'])
    const template = { name: named('template'), command: 'cat' }
    writeFileSync(join(hub.home, 'templates', `${template.name}.json`), JSON.stringify(template))
    await expectNotice(stream, 'resource://templates')
    await expect.poll(() => read('resource://templates'), patience).toContain(named('template'))
  })
})

test('a client without a stream while the hub is killed gets the notice when it opens its stream again', async () => {
  const connection = await connectLegacy(hub)
  const uri = 'resource://sessions'
  await connection.request('resources/subscribe', { uri })
  await start(hub, 'meanwhile', 'cat')
  await hub.restart('SIGKILL')
  using stream = await connection.listen()
  await expectNotice(stream, uri)
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
  const filter = { notifications: { resourceSubscriptions: uris } }
  const stream = await modernStream(hub, 'subscriptions/listen', filter)
  expect(await stream.message()).toMatchObject({ params: { notifications: { resourceSubscriptions: uris } } })
  return stream
}

async function expectNotice(stream: EventStream, uri: string): Promise<void> {
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
