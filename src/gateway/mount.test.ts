import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../test/fixtures/until.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import type { Params } from '../mcp/mcp.ts'
import type { Upstream, UpstreamListener, UpstreamTarget } from '../upstream/upstream.ts'
import type { MountLists } from './mount-lists.ts'
import { noLists } from './mount-lists.ts'
import type { MountOptions } from './mount.ts'
import { createMount } from './mount.ts'
import { warningOf } from './own-resources.ts'
import type { UpstreamLease } from './shared-upstreams.ts'

test('cached lists that cannot be read are logged and skipped, and the upstream is asked', async () => {
  const { mount, logged } = open({ known: () => Promise.reject(new Error('They are of another time.')) })
  await until(() => mount.state.state === 'running')
  expect(mount.definitions.tools.map(({ name }) => name)).toEqual(['files_look'])
  expect(logged()).toContain('They are of another time.')
})

test('cached lists that cannot be shown leave nothing behind', async () => {
  const { mount, logged } = open({ known: async () => ({ ...noLists, tools: 7 }) as unknown as MountLists })
  await until(() => mount.state.state === 'running')
  expect(mount.definitions.tools.map(({ name }) => name)).toEqual(['files_look'])
  expect(logged()).toContain('the cached lists cannot be used')
})

test('lists that cannot be processed fail their mount and nothing else', async () => {
  const { mount } = open({}, [{ name: 'look', inputSchema: { cannotBeWritten: 1n } }])
  await until(() => mount.state.state === 'failed')
  expect(mount.state).toMatchObject({ error: expect.stringContaining('It could not be listed') })
})

test('the reason of a failure is short, however much the upstream says', async () => {
  const toJSON = () => {
    throw new Error('x'.repeat(1_000_000))
  }
  const { mount } = open({}, [{ name: 'look', inputSchema: { toJSON } }])
  await until(() => mount.state.state === 'failed')
  expect(JSON.stringify(mount.state).length).toBeLessThan(3_000)
})

test('an exception in a listener is logged and breaks nothing', async () => {
  let told = 0
  const onStateChange = () => {
    told++
    throw new Error('A listener failed.')
  }
  const { logged } = open({ onStateChange })
  await until(() => told > 0)
  await until(() => logged().includes('A listener failed.'))
})

test('a flood of list changes is read now and then, and after the last change', async () => {
  const listed = [{ name: 'look', inputSchema: {} }]
  const { mount, reads, tell } = open({}, listed)
  await until(() => mount.state.state === 'running')
  const begun = performance.now()
  for (let count = 0; count < 500; count++) {
    if (count === 499) listed.push({ name: 'last', inputSchema: {} })
    tell('notifications/tools/list_changed')
    await turn()
  }
  const seconds = (performance.now() - begun) / 1_000
  expect(reads()).toBeLessThanOrEqual(3 + seconds)
  await until(() => mount.definitions.toolsByName.has('files_last'))
})

test('lists with endless pages are read once a minute, however often they change', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { mount, reads, tell } = open({}, [{ name: 'look', inputSchema: {} }], 'again')
  while (mount.state.state !== 'running') await turn()
  expect(mount.isEndless).toBe(true)
  const first = reads()
  tell('notifications/tools/list_changed')
  while (reads() < 2 * first) await turn()
  tell('notifications/tools/list_changed')
  await vi.advanceTimersByTimeAsync(59_000)
  expect(reads()).toBe(2 * first)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(reads()).toBeGreaterThan(2 * first)
})

test('a flood of updates of one resource is reported now and then, and after the last one', async () => {
  const changes: number[] = []
  let last = 0
  const { mount, tell } = open({ onResourceChange: () => void changes.push(last) })
  await until(() => mount.state.state === 'running')
  const begun = performance.now()
  for (last = 1; last <= 500; last++) {
    tell('notifications/resources/updated', { uri: 'a:1' })
    await turn()
  }
  const seconds = (performance.now() - begun) / 1_000
  expect(changes[0]).toBe(1)
  expect(changes.length).toBeLessThanOrEqual(3 + seconds * 10)
  await until(() => (changes.at(-1) ?? 0) > 500)
})

test('a flood of log lines passes in part', async () => {
  let passed = 0
  const { mount, tell } = open({ onNotification: () => void passed++ })
  await until(() => mount.state.state === 'running')
  for (let count = 0; count < 100_000; count++) tell('notifications/message', { level: 'info', data: 'x' })
  expect(passed).toBeGreaterThanOrEqual(1_000)
  expect(passed).toBeLessThan(50_000)
})

test('lists beyond the quota and entries with too long names are left out, with a warning', async () => {
  const tools = Array.from({ length: 50 }, (_, count) => ({ name: `tool_${count}`, description: 'd'.repeat(1_000) }))
  const { mount } = open({ maxListBytes: 10_000 }, [{ name: 'n'.repeat(1_000) }, ...tools])
  await until(() => mount.state.state === 'running')
  expect(mount.definitions.tools.length).toBeGreaterThan(5)
  expect(mount.definitions.tools.length).toBeLessThan(10)
  expect(mount.isCut).toBe(true)
  expect(warningOf(mount, () => false)).toBe(
    'It lists more than the hub keeps (upstream_lists_max_mb in all, 256 KiB and 10000 members in one entry); the rest is left out. ' +
      '1 of its entries are left out: their names or addresses are too long.',
  )
})

/** A mount of an upstream that lists these tools. An unhandled rejection in it fails the run. */
function open(
  own: Partial<MountOptions>,
  tools: readonly object[] = [{ name: 'look', inputSchema: {} }],
  nextCursor?: string,
) {
  const lines: string[] = []
  let reads = 0
  let listener: UpstreamListener | undefined
  const upstream = {
    identity: { capabilities: { tools: {} } },
    ready: async () => ({}),
    request: async () => {
      reads++
      return { tools, nextCursor }
    },
  } as unknown as Upstream
  const lease = { upstream, [Symbol.asyncDispose]: async () => {} } as unknown as UpstreamLease
  const mount = createMount({
    questions: { ofMount: () => ({ authorize: async (question) => ({ question, end() {} }) }) },
    bound: {
      label: 'files',
      connector: 'files',
      connectorId: 'c1',
      priority: 0,
      hasPrefix: true,
      isShared: false,
      fingerprint: 'f1',
      version: 'v1',
      target: { name: 'files', reach: { transport: 'stdio' } } as unknown as UpstreamTarget,
    },
    hasPrefix: true,
    upstreams: {
      lease(_, heard) {
        listener = heard
        return lease
      },
    },
    calls: {} as MountOptions['calls'],
    tasks: { shown: (said: Params) => said, [Symbol.dispose]() {} } as MountOptions['tasks'],
    roots: {} as MountOptions['roots'],
    prepare: async () => {},
    log: createLog({ level: 'warn', redactor: createRedactor(), destination: { write: (line) => lines.push(line) } }),
    known: async () => undefined,
    keep: async () => {},
    maxListBytes: 1024 * 1024,
    onStateChange() {},
    onOutput() {},
    onListsChange() {},
    onResourceChange() {},
    onNotification() {},
    ...own,
  })
  onTestFinished(() => mount[Symbol.asyncDispose]())
  const tell = (method: string, params?: Params) => listener?.notification(method, params)
  return { mount, reads: () => reads, tell, logged: () => lines.join('') }
}
