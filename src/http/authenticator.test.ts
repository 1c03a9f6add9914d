import { expect, test } from 'vitest'
import { createAuthenticator } from './authenticator.ts'

const person = { tokenId: 't1', role: 'human' } as const
const agent = { tokenId: 't2', role: 'agent', session: 'gone' } as const

function authenticatorAt(clock: { now: number }) {
  const known = new Map<string, typeof person | typeof agent>([
    ['good', person],
    ['orphan', agent],
  ])
  return createAuthenticator({
    findPrincipal: async (token) => known.get(token),
    hasSession: async (session) => session !== 'gone',
    now: () => clock.now,
  })
}

test('a known token gives the principal it stands for', async () => {
  const authenticator = authenticatorAt({ now: 0 })
  expect(await authenticator.authenticate('Bearer good', 'a')).toEqual({ is: 'authenticated', caller: person })
  expect(await authenticator.authenticate('bearer  good', 'a')).toEqual({ is: 'authenticated', caller: person })
})

test.each([undefined, '', 'good', 'Basic good', 'Bearer', 'Bearer bad', 'Bearer good extra'])(
  'the header "%s" is not accepted',
  async (header) => {
    expect(await authenticatorAt({ now: 0 }).authenticate(header, 'a')).toMatchObject({ is: 'unknown' })
  },
)

test('a token whose session has ended is refused as such', async () => {
  expect(await authenticatorAt({ now: 0 }).authenticate('Bearer orphan', 'a')).toEqual({ is: 'session-gone' })
})

test('an address is throttled after twenty wrong tokens in a minute, but a right token is still accepted', async () => {
  const clock = { now: 0 }
  const authenticator = authenticatorAt(clock)
  for (let count = 0; count < 20; count++)
    expect(await authenticator.authenticate('Bearer bad', 'a')).toMatchObject({ is: 'unknown' })
  expect(await authenticator.authenticate('Bearer bad', 'a')).toEqual({
    is: 'too-many-failures',
    retryAfterSeconds: 60,
  })
  expect(await authenticator.authenticate('Bearer bad', 'b')).toMatchObject({ is: 'unknown' })
  expect(await authenticator.authenticate('Bearer good', 'a')).toMatchObject({ is: 'authenticated' })
  clock.now = 60_001
  expect(await authenticator.authenticate('Bearer bad', 'a')).toMatchObject({ is: 'unknown' })
})
