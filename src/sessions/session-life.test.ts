import { expect, test } from 'vitest'
import { endOf } from './session-life.ts'

const exited = (code: number | null, signal: string | null = null) =>
  ({ is: 'exited', offset: 0, code, signal }) as const
const left = { isStopAsked: false, lastMessage: undefined }
const stopped = { isStopAsked: true, lastMessage: undefined }

test.each([
  ['it ended well', exited(0), left, { status: 'completed', exitCode: 0, lastMessage: undefined }],
  [
    'it ended with a code',
    exited(3),
    left,
    { status: 'failed', exitCode: 3, lastMessage: 'It ended with exit code 3.' },
  ],
  [
    'something killed it',
    exited(null, 'SIGKILL'),
    left,
    { status: 'failed', exitSignal: 'SIGKILL', lastMessage: 'It was ended by SIGKILL.' },
  ],
  [
    'a person stopped it',
    exited(null, 'SIGHUP'),
    stopped,
    { status: 'stopped', exitSignal: 'SIGHUP', lastMessage: undefined },
  ],
  ['a person stopped it, and it went quietly', exited(0), stopped, { status: 'stopped', exitCode: 0 }],
  [
    'nobody knows',
    { is: 'lost' } as const,
    left,
    { status: 'failed', exitCode: undefined, lastMessage: expect.stringContaining('not known') },
  ],
  ['nobody knows, but a person wanted it gone', { is: 'lost' } as const, stopped, { status: 'stopped' }],
])('%s', (_, life, record, end) => {
  expect(endOf(life, record)).toMatchObject(end)
})

test('what a person should know of it is not forgotten when it ends well', () => {
  const record = { isStopAsked: false, lastMessage: 'The disk was full for a while.' }
  expect(endOf(exited(0), record).lastMessage).toBe('The disk was full for a while.')
})
