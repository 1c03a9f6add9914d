import { expect, test } from 'vitest'
import { renderStatus } from './status.ts'
import { renderTokens } from './token-list.ts'

test('the status of the hub reads like a list of facts, also those this CLI has never heard of', () => {
  const status = {
    version: '0.1.0',
    started_at: '2026-01-01T00:00:00.000Z',
    uptime_seconds: 3 * 3600 + 12 * 60 + 5,
    memory_bytes: 90 * 1024 * 1024,
    brand_new: { thing: true, names: ['a', 'b'] },
  }
  expect(renderStatus(status).split('\n')).toEqual([
    'version          0.1.0',
    'started          2026-01-01T00:00:00.000Z',
    'uptime           3h 12m',
    'memory           90 MiB',
    'brand new thing  true',
    'brand new names  a, b',
  ])
})

test('the list of tokens says of each whether it is still good', () => {
  const created_at = '2026-01-01T08:30:00.000Z'
  const table = renderTokens(
    [
      { id: 't1', role: 'human', label: 'the token file', created_at, last_used_at: '2026-01-02T09:00:00.000Z' },
      { id: 't2', role: 'agent', session: 'fix-login', created_at, expires_at: '2026-02-01T00:00:00.000Z' },
      { id: 't3', role: 'human', toolsets: ['a', 'b'], created_at, expires_at: '2026-01-02T00:00:00.000Z' },
      { id: 't4', role: 'human', created_at, revoked_at: '2026-01-03T10:15:00.000Z' },
    ],
    new Date('2026-01-04T00:00:00.000Z'),
  )
  expect(table.split('\n')).toEqual([
    'id  role   session    label           toolsets  made              last used         good',
    't1  human  –          the token file  –         2026-01-01 08:30  2026-01-02 09:00  yes',
    't2  agent  fix-login  –               –         2026-01-01 08:30  –                 until 2026-02-01 00:00',
    't3  human  –          –               a,b       2026-01-01 08:30  –                 expired 2026-01-02 00:00',
    't4  human  –          –               –         2026-01-01 08:30  –                 revoked 2026-01-03 10:15',
  ])
})
