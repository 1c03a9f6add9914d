import { expect, test } from 'vitest'
import type { Call, Client } from '../mcp/mcp.ts'
import { createListTimeout } from './list-timeout.ts'

const client = (own: Partial<Client> = {}): Client => ({
  era: 'legacy',
  version: '2025-11-25',
  capabilities: {},
  ...own,
})
const by = (of: Client, tokenId = 't1') => ({ client: of, caller: { tokenId } }) as Call

test('the first lists of a connection share one long wait, and later ones wait a moment', () => {
  let now = 0
  const listTimeout = createListTimeout(1_000, () => now)
  const first = client()
  expect(listTimeout(by(first))).toBe(8_000)
  now = 3_000
  expect(listTimeout(by(first))).toBe(5_000)
  now = 9_000
  expect(listTimeout(by(first))).toBe(1_000)
  expect(listTimeout(by(client()))).toBe(8_000)
})

test('a modern client, which has no connection, is identified by its token', () => {
  let now = 0
  const listTimeout = createListTimeout(1_000, () => now)
  listTimeout(by(client({ era: 'modern' })))
  now = 9_000
  expect(listTimeout(by(client({ era: 'modern' })))).toBe(1_000)
  expect(listTimeout(by(client({ era: 'modern' }), 't2'))).toBe(8_000)
})

test('a client that gives up sooner is answered sooner', () => {
  const listTimeout = createListTimeout(1_000, () => 0)
  expect(listTimeout(by(client({ info: { name: 'opencode', version: '1' } })))).toBe(3_000)
})
