import { expect, test } from 'vitest'
import type { CurrentPoliciesOptions } from './current-policies.ts'
import { createCurrentPolicies } from './current-policies.ts'
import type { SavedPolicy } from './policy-store.ts'

const session = { id: 's1', template: 'shell', hubId: 'hub-1' }

function saved(version: number, source = '- allow: x'): SavedPolicy {
  return { scope: 'hub', target: '', version, source, savedAt: '', savedBy: 'ann' }
}

/** Each read of the store waits until the test resolves it. */
function openCurrent() {
  const reads: PromiseWithResolvers<readonly SavedPolicy[]>[] = []
  let time = 0
  const rows: CurrentPoliciesOptions['rows'] = {
    templatePolicyOf: async () => undefined,
    keepTemplatePolicy: async () => {},
    sessionsOf: async () => [],
    newest() {
      const read = Promise.withResolvers<readonly SavedPolicy[]>()
      reads.push(read)
      return read.promise
    },
  }
  const current = createCurrentPolicies({
    rows,
    shippedSource: 'default: ask',
    hubId: 'hub-1',
    templatePolicy: () => ({ is: 'known', origin: 'shipped', source: undefined }),
    now: () => time,
  })
  return { current, reads, pass: (ms: number) => void (time += ms) }
}

test('calls that arrive together share one read, and no call reads again for a second', async () => {
  const { current, reads, pass } = openCurrent()
  const pools = [current.poolOf(session), current.poolOf(session), current.poolOf(session)]
  reads[0]!.resolve([saved(1)])
  expect(new Set(await Promise.all(pools)).size).toBe(1)
  pass(999)
  await current.poolOf(session)
  expect(reads).toHaveLength(1)
  pass(1)
  const again = current.poolOf(session)
  reads[1]!.resolve([saved(1)])
  // It is the same pool, which has cached which rules name which tool.
  expect(await again).toBe(await pools[0])
})

test('a call that comes after a save does not use a read that began before the save', async () => {
  const { current, reads } = openCurrent()
  const early = current.poolOf(session)
  current.lookAgain()
  const late = current.poolOf(session)
  expect(reads).toHaveLength(2)
  reads[1]!.resolve([saved(2, '- deny: x')])
  expect((await late).version).toBe('hub@2')
  reads[0]!.resolve([saved(1)])
  expect((await early).version).toBe('hub@1')
  const next = current.poolOf(session)
  reads[2]?.resolve([saved(2, '- deny: x')])
  expect((await next).version).toBe('hub@2')
})

test('the next call retries a read that failed', async () => {
  const { current, reads } = openCurrent()
  const failing = current.poolOf(session)
  reads[0]!.reject(new Error('the database is away'))
  await expect(failing).rejects.toThrow(/the database is away/)
  const next = current.poolOf(session)
  reads[1]!.resolve([])
  expect((await next).version).toMatch(/^hub@0\.[0-9a-f]{8}$/)
})

test('the pool of a session is dropped when the session is forgotten', async () => {
  const { current, reads } = openCurrent()
  const first = current.poolOf(session)
  reads[0]!.resolve([])
  await first
  current.forget(session.id)
  void current.poolOf(session)
  expect(reads).toHaveLength(2)
})
