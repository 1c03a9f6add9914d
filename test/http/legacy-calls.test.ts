/** Calls in the legacy revisions: progress, logs, questions, cancellation, and lost streams. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectLegacy, legacyRevisions } from './legacy-connection.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

describe.each(legacyRevisions)('%s: a call that reports progress', (version) => {
  test('is answered with a stream of each step of progress, then the answer, then the end', async () => {
    const connection = await connectLegacy(hub, { version })
    const _meta = { progressToken: 'mine' }
    using stream = await connection.stream('tools/call', { name: 'test_tool_with_progress', _meta })

    expect(stream.status).toBe(200)
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringContaining('no-cache'),
      'x-accel-buffering': 'no',
    })
    expect(await stream.ended).toBe('ended')
    expect(stream.messages).toMatchObject([
      ...[0, 50, 100].map((progress) => ({
        method: 'notifications/progress',
        params: { progressToken: 'mine', progress, total: 100 },
      })),
      { id: 1, result: { content: [{ type: 'text' }] } },
    ])
    const ids = stream.events.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    // An event with an id but without data would break clients of the older revisions.
    expect(stream.events[0]?.data === '').toBe(version === '2025-11-25')
  })
})

describe('a call', () => {
  test('without progress is answered with one JSON body, even if a stream was possible', async () => {
    const connection = await connectLegacy(hub)
    const params = { name: 'test_tool_with_progress' }
    const { headers, body } = await connection.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(headers['content-type']).toBe('application/json')
    expect(body).toMatchObject({ id: 1, result: {} })
  })

  test('of a client that accepts JSON only is answered with JSON, without its progress', async () => {
    const connection = await connectLegacy(hub)
    const params = { name: 'test_tool_with_progress', _meta: { progressToken: 0 } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const { headers, body } = await connection.post(message, { accept: 'application/json' })
    expect(headers['content-type']).toBe('application/json')
    expect(body).toMatchObject({ id: 1, result: {} })
  })

  test('gets only log lines of the level that its client set and above', async () => {
    const connection = await connectLegacy(hub)
    await connection.request('logging/setLevel', { level: 'warning' })
    const quiet = await connection.post({
      jsonrpc: '2.0',
      id: 'quiet',
      method: 'tools/call',
      params: { name: 'test_tool_with_logging' },
    })
    expect(quiet.body).toMatchObject({ id: 'quiet', result: {} })

    await connection.request('logging/setLevel', { level: 'info' })
    using loud = await connection.stream('tools/call', { name: 'test_tool_with_logging' })
    await loud.ended
    expect(loud.messages.filter(isLog)).toHaveLength(3)
  })

  test('is cancelled by notifications/cancelled, which aborts the signal of its tool and answers with an error', async () => {
    const connection = await connectLegacy(hub)
    const answer = connection.post(guided('cancel-me', 'cancelled by notice'))
    await hub.isRunning('cancelled by notice')
    await connection.notify('notifications/cancelled', { requestId: 'cancel-me', reason: 'enough' })

    expect((await answer).text).toMatch(/cancelled/)
    expect(await hub.call('test_calls')).toMatchObject({ cancelled: expect.arrayContaining(['cancelled by notice']) })
    expect(await connection.request('ping')).toMatchObject({ result: {} })
  })

  test('cannot be cancelled from another connection', async () => {
    const connection = await connectLegacy(hub)
    const other = await connectLegacy(hub)
    const answer = connection.post(guided('not-yours', 'not cancelled'))
    await hub.isRunning('not cancelled')
    await other.notify('notifications/cancelled', { requestId: 'not-yours' })
    await other.request('ping')
    await hub.call('test_finish', { label: 'not cancelled', words: 'still here' })

    expect((await answer).text).toContain('still here')
  })

  test('can ask its client, which answers with another POST', async () => {
    const connection = await connectLegacy(hub, { capabilities: { elicitation: {} } })
    using stream = await connection.stream('tools/call', { name: 'test_elicitation', arguments: { message: 'Who?' } })
    const question = await stream.message()
    expect(question).toMatchObject({ id: expect.anything(), method: 'elicitation/create', params: { message: 'Who?' } })
    const { id } = question as { id: string }
    const content = { username: 'Ada', email: 'ada@example.org' }
    expect((await connection.post({ jsonrpc: '2.0', id, result: { action: 'accept', content } })).status).toBe(202)

    expect(await stream.message()).toMatchObject({
      id: 1,
      result: { content: [{ text: expect.stringContaining('Ada') }] },
    })
    expect(await stream.ended).toBe('ended')
  })

  test('never asks a client for a capability that it did not declare', async () => {
    const connection = await connectLegacy(hub)
    const asked = await connection.request('tools/call', { name: 'test_elicitation', arguments: { message: 'Who?' } })
    expect(asked).toMatchObject({ error: { message: expect.stringContaining('elicitation') } })
  })
})

describe('a stream that is lost during a call', () => {
  test('is resumed from any of its ids with every later event, in order and once', async () => {
    const connection = await connectLegacy(hub)
    const streaming = connection.stream('tools/call', guidedParams('resumed', true))
    await hub.isRunning('resumed')
    await hub.call('test_step', { label: 'resumed' })
    using first = await streaming
    await first.message()
    const [primed, one] = first.events
    first.close()

    await hub.call('test_step', { label: 'resumed' })
    using second = await connection.listen(one?.id)
    expect(await second.message()).toMatchObject({ params: { progress: 2 } })
    await hub.call('test_step', { label: 'resumed' })
    expect(await second.message()).toMatchObject({ params: { progress: 3 } })
    second.close()
    await hub.call('test_finish', { label: 'resumed', words: 'to the end' })

    using last = await connection.listen(primed?.id)
    expect(await last.ended).toBe('ended')
    expect(last.messages).toMatchObject([
      { params: { progress: 1 } },
      { params: { progress: 2 } },
      { params: { progress: 3 } },
      { id: 1, result: { structuredContent: { words: 'to the end' } } },
    ])
  })

  test('can be resumed only by its own connection', async () => {
    const connection = await connectLegacy(hub)
    using stream = await connection.stream('tools/call', {
      name: 'test_tool_with_progress',
      _meta: { progressToken: 1 },
    })
    await stream.ended
    using other = await (await connectLegacy(hub)).listen(stream.events[0]?.id)
    await other.ended
    expect(other.messages).toEqual([])
  })

  test('is not resumed from an invalid id', async () => {
    const connection = await connectLegacy(hub)
    for (const id of ['nonsense', '../../etc/passwd', 'notices.-1', 'notices.99999999999999999999', "' OR 1=1"]) {
      expect((await connection.listen(id)).status).toBe(400)
    }
  })
})

test('DELETE ends the GET stream, and cancels the running call and its tool', async () => {
  const connection = await connectLegacy(hub)
  using notices = await connection.listen()
  const streaming = connection.stream('tools/call', guidedParams('deleted', true))
  await hub.isRunning('deleted')
  await hub.call('test_step', { label: 'deleted' })
  using call = await streaming

  expect((await connection.end()).status).toBe(204)
  await Promise.all([notices.ended, call.ended])
  await expect
    .poll(() => hub.call('test_calls'), patience)
    .toMatchObject({ cancelled: expect.arrayContaining(['deleted']) })
})

function guided(id: string, label: string): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: guidedParams(label, false) }
}

function guidedParams(label: string, withProgress: boolean): object {
  return { name: 'test_guided', arguments: { label }, ...(withProgress && { _meta: { progressToken: label } }) }
}

function isLog(message: unknown): boolean {
  return (message as { method?: unknown }).method === 'notifications/message'
}
