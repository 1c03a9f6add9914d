import { expect, test } from 'vitest'
import { endOf } from './run-outcome.ts'

const exited = (code: number | null, signal: string | null = null) =>
  ({ is: 'exited', offset: 0, code, signal }) as const
const unasked = { isStopAsked: false, lastMessage: undefined }
const stopped = { isStopAsked: true, lastMessage: undefined }

test.each([
  ['exit code 0', exited(0), unasked, { status: 'completed', exitCode: 0, lastMessage: undefined }],
  [
    'another exit code',
    exited(3),
    unasked,
    { status: 'failed', exitCode: 3, lastMessage: 'It ended with exit code 3.' },
  ],
  [
    'a signal',
    exited(null, 'SIGKILL'),
    unasked,
    { status: 'failed', exitSignal: 'SIGKILL', lastMessage: 'It was ended by SIGKILL.' },
  ],
  [
    'a signal after a stop request',
    exited(null, 'SIGHUP'),
    stopped,
    { status: 'stopped', exitSignal: 'SIGHUP', lastMessage: undefined },
  ],
  ['exit code 0 after a stop request', exited(0), stopped, { status: 'stopped', exitCode: 0 }],
  [
    'a lost run',
    { is: 'lost' } as const,
    unasked,
    { status: 'failed', exitCode: undefined, lastMessage: expect.stringContaining('does not know') },
  ],
  ['a lost run after a stop request', { is: 'lost' } as const, stopped, { status: 'stopped' }],
])('the session gets the right status after %s', (_, status, record, end) => {
  expect(endOf(status, record)).toMatchObject(end)
})

test('a message for the person stays on a session that ends with exit code 0', () => {
  const record = { isStopAsked: false, lastMessage: 'The disk was full for a while.' }
  expect(endOf(exited(0), record).lastMessage).toBe('The disk was full for a while.')
})

test('a message for the person also stays on a session that fails', () => {
  const record = { isStopAsked: false, lastMessage: 'It continues in the existing directory /a.' }
  expect(endOf(exited(3), record).lastMessage).toBe(
    'It continues in the existing directory /a. It ended with exit code 3.',
  )
})
