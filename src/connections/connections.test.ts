import { expect, test } from 'vitest'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { parseExactly } from '../base/exact-numbers.ts'
import type { ConnectionRecord } from '../endpoint/endpoint.ts'
import type { RpcMessage } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import { createConnectionRecords } from './connections.ts'

const record: ConnectionRecord = {
  id: 'c1',
  tokenId: 't1',
  version: '2025-11-25',
  capabilities: { roots: {} },
  info: { name: 'client', version: '1' },
  toolsets: ['all'],
  lastSeenAt: new Date('2026-01-01T00:00:00Z'),
  subscriptions: [],
  changed: [],
  changedLists: [],
}
const message = (count: number) => ({ jsonrpc: '2.0', method: 'm', params: { count } }) as const

const topic = { kind: 'upstream', uri: 'a:1' } as const

const recordsOn = (store: Store, hubId = 'h1', endpoint = 'hub') => createConnectionRecords({ store, hubId, endpoint })

describeOnEachEngine('connection records', (open) => {
  test('a connection is complete after a restart', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.subscribe('c1', 'a:1')
    await records.subscribe('c1', 'a:1')
    await records.subscribe('c1', 'a:2')
    await records.unsubscribe('c1', 'a:2')
    await records.setLogLevel('c1', 'warning')
    await records.subscribe('c1', 'list:prompts:management')
    await records.markChanged('c1', [
      { kind: 'hub', uri: 'a:1' },
      { kind: 'list', list: 'tools' },
    ])
    const seen = new Date('2026-01-02T00:00:00Z')
    await records.setLastSeen(new Map([['c1', seen]]))
    const next = recordsOn(await opened.reopen())
    const kept = {
      ...record,
      logLevel: 'warning',
      lastSeenAt: seen,
      subscriptions: expect.arrayContaining(['a:1', 'list:prompts:management']),
      changed: ['a:1'],
      changedLists: ['tools'],
    }
    expect(await next.find('c1')).toEqual(kept)
    expect(await next.all()).toEqual([kept])
    expect(await next.find('other')).toBeUndefined()
  })

  test('marking a change after an unsubscribe does not restore the subscription', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.subscribe('c1', 'a:1')
    await records.unsubscribe('c1', 'a:1')
    await records.markChanged('c1', [{ kind: 'hub', uri: 'a:1' }])
    expect(await records.find('c1')).toMatchObject({ subscriptions: [], changed: [] })
  })

  test('a stored message keeps every digit of its numbers', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.openStream('c1', 's1', 1)
    const text = '{"jsonrpc":"2.0","id":1,"result":{"id":1234567890123456789}}'
    await records.append('c1', 's1', [{ seq: 1, message: parseExactly(text) as RpcMessage }])
    const kept = await records.readStream('c1', 's1', 0)
    expect(JSON.stringify(kept?.events[0]?.message)).toBe(text)
  })

  test('events can be read from any position, in order, and delivered topics are no longer pending', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.subscribe('c1', 'a:1')
    await records.markChanged('c1', [topic, { kind: 'list', list: 'tools' }])
    await records.openStream('c1', 'notices')
    expect(await records.readStream('c1', 'notices', 0)).toEqual({ isComplete: false, nextSeq: 1, events: [] })
    await Promise.all([
      records.append('c1', 'notices', [{ seq: 1, message: undefined }]),
      records.append(
        'c1',
        'notices',
        [
          { seq: 2, message: message(2) },
          { seq: 3, message: message(3) },
        ],
        [topic, { kind: 'list', list: 'tools' }],
      ),
    ])
    expect(await records.readStream('c1', 'notices', 1)).toEqual({
      isComplete: false,
      nextSeq: 4,
      events: [
        { seq: 2, message: message(2) },
        { seq: 3, message: message(3) },
      ],
    })
    expect(await records.find('c1')).toMatchObject({ subscriptions: ['a:1'], changed: [], changedLists: [] })
    expect(await records.readStream('c1', 'unknown', 0)).toBeUndefined()
  })

  test('a write for a stream that does not exist fails without failing other writes', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.openStream('c1', 'notices')
    const outcomes = await Promise.allSettled([
      records.append('c1', 'unknown', [{ seq: 1, message: message(1) }]),
      records.append('c1', 'notices', [{ seq: 1, message: message(1) }]),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect((await records.readStream('c1', 'notices', 0))?.events).toHaveLength(1)
  })

  test('writes for a removed connection are dropped', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.create({ ...record, id: 'gone' })
    for (const id of ['c1', 'gone']) await records.openStream(id, 'notices')
    await records.remove(['gone'])
    await Promise.all([
      records.append('gone', 'notices', [{ seq: 1, message: message(1) }], [topic]),
      records.append('c1', 'notices', [{ seq: 1, message: message(1) }]),
      records.openStream('gone', 'late', 7),
      records.subscribe('gone', 'a:1'),
      records.markChanged('gone', [topic, { kind: 'list', list: 'tools' }]),
    ])
    expect((await records.readStream('c1', 'notices', 0))?.events).toHaveLength(1)
    expect(await records.readStream('gone', 'late', 0)).toBeUndefined()
    expect(await records.find('gone')).toBeUndefined()
  })

  test('unanswered requests are found, but not finished ones or notices', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.openStream('c1', 'notices')
    await records.openStream('c1', 'done', 7)
    await records.completeStream('c1', 'done')
    await records.openStream('c1', 'text', 'r-1')
    await records.openStream('c1', 'number', 8)
    await records.append('c1', 'number', [{ seq: 1, message: undefined }])
    const unanswered = await records.unanswered()
    expect(unanswered).toHaveLength(2)
    expect(unanswered).toContainEqual({ id: 'c1', streamId: 'text', requestId: 'r-1', nextSeq: 1 })
    expect(unanswered).toContainEqual({ id: 'c1', streamId: 'number', requestId: 8, nextSeq: 2 })
  })

  test('an endpoint finds its own connections, and none of another endpoint of the hub', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.openStream('c1', 's1', 1)
    const others = recordsOn(opened.store, 'h1', 'second')
    expect([await others.all(), await others.find('c1'), await others.unanswered()]).toEqual([[], undefined, []])
    expect(await records.find('c1')).toEqual(record)
    expect(await records.unanswered()).toHaveLength(1)
  })

  test('another hub on the same store takes over a connection only when its client connects to it', async () => {
    await using opened = await open()
    const here = recordsOn(opened.store)
    const there = recordsOn(opened.store, 'h2')
    await here.create(record)
    await here.openStream('c1', 'running', 1)
    expect(await there.all()).toEqual([])
    expect(await there.unanswered()).toEqual([])
    expect(await there.find('c1')).toMatchObject({ id: 'c1' })
    expect(await here.all()).toEqual([])
    expect(await there.unanswered()).toHaveLength(1)
  })

  test('pruning removes old finished streams and all but the newest thousand events', async () => {
    await using opened = await open()
    let now = new Date('2026-01-01T00:00:00Z')
    const records = createConnectionRecords({ store: opened.store, hubId: 'h1', endpoint: 'hub', now: () => now })
    await records.create(record)
    await records.openStream('c1', 'notices')
    await records.openStream('c1', 'done', 7)
    await records.completeStream('c1', 'done')
    const many = Array.from({ length: 2_500 }, (_, index) => ({ seq: index + 1, message: message(index + 1) }))
    await records.append('c1', 'notices', many)
    now = new Date('2026-01-01T01:00:00Z')
    await records.prune(now)
    expect(await records.readStream('c1', 'done', 0)).toBeUndefined()
    const kept = await records.readStream('c1', 'notices', 0)
    expect(kept?.events).toHaveLength(1_000)
    expect(kept?.events[0]?.seq).toBe(1_501)
    expect(kept?.nextSeq).toBe(2_501)
  })

  test('removing a connection removes everything that belongs to it', async () => {
    await using opened = await open()
    const records = recordsOn(opened.store)
    await records.create(record)
    await records.subscribe('c1', 'a:1')
    await records.markChanged('c1', [{ kind: 'list', list: 'tools' }])
    await records.openStream('c1', 'notices')
    await records.append('c1', 'notices', [{ seq: 1, message: message(1) }])
    await records.remove(['c1'])
    expect(await records.all()).toEqual([])
    const tables = ['subscriptions', 'changed_lists', 'streams', 'stream_events'] as const
    for (const table of tables.map((name) => `connection_${name}` as const)) {
      expect(await opened.store.transient.selectFrom(table).selectAll().execute()).toEqual([])
    }
  })
})
