import { expect, test, vi } from 'vitest'
import { createTypist } from './typist.ts'

/** Takes what is typed when it is told to. */
function slowSession() {
  const sent: string[] = []
  let taken = Promise.withResolvers<void>()
  const onDetach = vi.fn<() => void>()
  const typist = createTypist({
    detachKey: '\x1d',
    send(text) {
      sent.push(text)
      return taken.promise
    },
    onDetach,
  })
  return {
    sent,
    onDetach,
    typist,
    type: (text: string) => typist.type(Buffer.from(text)),
    async takes() {
      const before = taken
      taken = Promise.withResolvers()
      before.resolve()
      await vi.waitFor(() => {})
    },
  }
}

test('what is typed while a call is under way goes together, in order', async () => {
  const { sent, type, takes } = slowSession()
  for (const key of 'abcd') type(key)
  expect(sent).toEqual(['a'])
  await takes()
  expect(sent).toEqual(['a', 'bcd'])
})

test('a character that comes in two pieces is sent as one', async () => {
  const { sent, typist, takes } = slowSession()
  for (const byte of Buffer.from('漢😀')) typist.type(Buffer.of(byte))
  await takes()
  expect(sent.join('')).toBe('漢😀')
  expect(sent.join('')).not.toContain('\ufffd')
})

test('a long paste is sent in parts, none of which ends in the middle of a character', async () => {
  const { sent, type, takes } = slowSession()
  const paste = `x${'😀'.repeat(50_000)}`
  type(paste)
  await takes()
  await takes()
  expect(sent.length).toBe(2)
  expect(sent.join('')).toBe(paste)
  for (const part of sent) expect(part.isWellFormed()).toBe(true)
})

test('the detach key leaves; what stands before it is sent, what stands behind it is not', () => {
  const { sent, type, onDetach } = slowSession()
  type('ls\r\x1drm\r')
  expect(onDetach).toHaveBeenCalledOnce()
  expect(sent).toEqual(['ls\r'])
})

test('what has not been sent can be forgotten', async () => {
  const { sent, type, typist, takes } = slowSession()
  type('a')
  type('b')
  typist.forget()
  await takes()
  expect(sent).toEqual(['a'])
})
