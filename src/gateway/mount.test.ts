import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../test/fixtures/until.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import type { Upstream, UpstreamTarget } from '../mcp/mcp.ts'
import type { MountLists } from './mount-lists.ts'
import { noLists } from './mount-lists.ts'
import type { MountOptions } from './mount.ts'
import { createMount } from './mount.ts'
import type { UpstreamLease } from './shared-upstreams.ts'

test('lists that were kept and cannot be read are left out with a line in the log, and the upstream is asked', async () => {
  const { mount, logged } = open({ known: () => Promise.reject(new Error('They are of another time.')) })
  await until(() => mount.state.state === 'running')
  expect(mount.definitions.tools.map(({ name }) => name)).toEqual(['files_read'])
  expect(logged()).toContain('They are of another time.')
})

test('lists that were kept and cannot be shown leave nothing behind', async () => {
  const { mount, logged } = open({ known: async () => ({ ...noLists, tools: 'none' }) as unknown as MountLists })
  await until(() => mount.state.state === 'running')
  expect(mount.definitions.tools.map(({ name }) => name)).toEqual(['files_read'])
  expect(logged()).toContain('the lists that were kept cannot be used')
})

test('lists that cannot be taken over are a failure of the mount, and of nobody else', async () => {
  let deep: unknown = 'end'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  const { mount, logged } = open({}, [{ name: 'read', inputSchema: { deep } }])
  await until(() => mount.state.state === 'failed')
  expect(mount.state).toMatchObject({ error: expect.stringContaining('It could not be listed') })
  expect(logged()).toContain('could not be taken over')
})

test('a listener that fails brings nobody down', async () => {
  let told = 0
  const onStateChange = () => {
    told++
    throw new Error('Nobody may hear this.')
  }
  const { logged } = open({ onStateChange })
  await until(() => told > 0)
  await until(() => logged().includes('Nobody may hear this.'))
})

/** A mount of an upstream that lists these tools; what it calls unhandled fails the run. */
function open(own: Partial<MountOptions>, tools: readonly object[] = [{ name: 'read', inputSchema: {} }]) {
  const lines: string[] = []
  const upstream = {
    identity: { capabilities: { tools: {} } },
    ready: async () => ({}),
    request: async () => ({ tools }),
  } as unknown as Upstream
  const lease = { upstream, [Symbol.asyncDispose]: async () => {} } as unknown as UpstreamLease
  const mount = createMount({
    bound: {
      label: 'files',
      connector: 'files',
      connectorId: 'c1',
      priority: 0,
      hasPrefix: true,
      isShared: false,
      fingerprint: 'f1',
      target: { name: 'files', reach: { transport: 'stdio' } } as unknown as UpstreamTarget,
    },
    hasPrefix: true,
    upstreams: { lease: () => lease },
    calls: {} as MountOptions['calls'],
    tasks: { [Symbol.dispose]() {} } as MountOptions['tasks'],
    gate: {} as MountOptions['gate'],
    log: createLog({ level: 'warn', redactor: createRedactor(), destination: { write: (line) => lines.push(line) } }),
    known: async () => undefined,
    keep: async () => {},
    onStateChange() {},
    onListsChange() {},
    onResourceChange() {},
    onNotification() {},
    ...own,
  })
  onTestFinished(() => mount[Symbol.asyncDispose]())
  return { mount, logged: () => lines.join('') }
}
