import { expect, test } from 'vitest'
import { createGate } from './gate.ts'

const person = { tokenId: 't1', role: 'human' } as const
const agent = { tokenId: 't2', role: 'agent', session: 'gone' } as const

function gateAt(clock: { now: number }) {
  const known = new Map<string, typeof person | typeof agent>([
    ['good', person],
    ['orphan', agent],
  ])
  return createGate({
    authenticate: async (token) => known.get(token),
    hasSession: async (session) => session !== 'gone',
    now: () => clock.now,
  })
}

test('a known token comes in as whom it stands for', async () => {
  const gate = gateAt({ now: 0 })
  expect(await gate.admit('Bearer good', 'a')).toEqual({ is: 'admitted', caller: person })
  expect(await gate.admit('bearer  good', 'a')).toEqual({ is: 'admitted', caller: person })
})

test.each([undefined, '', 'good', 'Basic good', 'Bearer', 'Bearer bad', 'Bearer good extra'])(
  '"%s" is unknown',
  async (header) => {
    expect(await gateAt({ now: 0 }).admit(header, 'a')).toMatchObject({ is: 'unknown' })
  },
)

test('an agent whose session is gone is told so', async () => {
  expect(await gateAt({ now: 0 }).admit('Bearer orphan', 'a')).toEqual({ is: 'session-gone' })
})

test('the twenty-first wrong token of a minute is one too many, for that address alone, and a right one still passes', async () => {
  const clock = { now: 0 }
  const gate = gateAt(clock)
  for (let count = 0; count < 20; count++) expect(await gate.admit('Bearer bad', 'a')).toMatchObject({ is: 'unknown' })
  expect(await gate.admit('Bearer bad', 'a')).toEqual({ is: 'too-many-failures', retryAfterSeconds: 60 })
  expect(await gate.admit('Bearer bad', 'b')).toMatchObject({ is: 'unknown' })
  expect(await gate.admit('Bearer good', 'a')).toMatchObject({ is: 'admitted' })
  clock.now = 60_001
  expect(await gate.admit('Bearer bad', 'a')).toMatchObject({ is: 'unknown' })
})
