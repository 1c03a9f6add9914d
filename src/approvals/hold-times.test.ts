import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { addSession, createApprovalWorld, requestOf } from '../../test/worlds/approval-world.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import { openStore } from '../store/store.ts'
import type { ApprovalsOptions } from './approvals.ts'

type ClientName = string | undefined

afterEach(() => void vi.useRealTimers())

/**
 * Each client makes a call at the same time. `steps` lists, for each number of seconds, the clients whose calls are
 * still held.
 */
async function expectHeld(
  steps: readonly (readonly [number, readonly ClientName[]])[],
  options: Partial<ApprovalsOptions>,
) {
  await using home = await createTempHome()
  await using store = await openStore({ sqliteDir: home.path })
  const session = await addSession(store, 'fix')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const approvals = await createApprovalWorld().start(store, options)
  const { signal } = new AbortController()
  const held = new Set<ClientName>()
  const calls = steps[0]![1].map(async (clientName) => {
    const onHeld = async () => void held.add(clientName)
    const request = requestOf(session, { arguments: { clientName } })
    const outcome = await approvals.obtain(request, { signal, progress() {}, clientName, onHeld })
    expect(outcome).toMatchObject({ status: 'pending' })
    held.delete(clientName)
  })
  let passed = 0
  for (const [seconds, expected] of steps) {
    await vi.advanceTimersByTimeAsync((seconds - passed) * 1000)
    passed = seconds
    // A hold reads the store once more before it ends.
    while (held.size !== expected.length) await turn()
    expect(held).toEqual(new Set(expected))
    const awaited = (await approvals.list({ limit: 10 })).filter(({ isAwaited }) => isAwaited)
    expect(awaited).toHaveLength(expected.length)
  }
  await Promise.all(calls)
}

test('a call is held nearly as long as its client waits, or 50 seconds for an unknown client', async () => {
  const [codex, gemini, claude, opencode] = ['codex-mcp-client', 'gemini-cli-mcp-client', 'claude-code', 'opencode']
  const steps = [
    [0, [undefined, 'somebody', codex, gemini, claude, opencode]],
    [49, [undefined, 'somebody', codex, gemini, claude, opencode]],
    [51, [codex, gemini, claude, opencode]],
    [281, [gemini, claude, opencode]],
    [571, [claude, opencode]],
    [601, [opencode]],
    [691, []],
  ] as const
  await expectHeld(steps, { holdMs: undefined })
})

test('a configured hold applies to all clients', async () => {
  const both = [undefined, 'codex-mcp-client']
  const steps = [
    [0, both],
    [59, both],
    [61, []],
  ] as const
  await expectHeld(steps, { holdMs: 60_000 })
})
