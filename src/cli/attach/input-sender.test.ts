import { expect, test, vi } from 'vitest'
import { createInputSender } from './input-sender.ts'

/** A session that takes the input of one call each time `takes` is called. */
function slowSession() {
  const sent: string[] = []
  let taken = Promise.withResolvers<void>()
  const onDetach = vi.fn<() => void>()
  const sender = createInputSender({
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
    sender,
    type: (text: string) => sender.send(Buffer.from(text)),
    async takes() {
      const before = taken
      taken = Promise.withResolvers()
      before.resolve()
      await vi.waitFor(() => {})
    },
  }
}

test('sends input that arrives during a call together in the next call, in order', async () => {
  const { sent, type, takes } = slowSession()
  for (const key of 'abcd') type(key)
  expect(sent).toEqual(['a'])
  await takes()
  expect(sent).toEqual(['a', 'bcd'])
})

test('sends a character that arrives in pieces as one', async () => {
  const { sent, sender, takes } = slowSession()
  for (const byte of Buffer.from('漢😀')) sender.send(Buffer.of(byte))
  await takes()
  expect(sent.join('')).toBe('漢😀')
  expect(sent.join('')).not.toContain('\ufffd')
})

test('splits a long paste, but never in the middle of a character', async () => {
  const { sent, type, takes } = slowSession()
  const paste = `x${'😀'.repeat(50_000)}`
  type(paste)
  await takes()
  await takes()
  expect(sent.length).toBe(2)
  expect(sent.join('')).toBe(paste)
  for (const part of sent) expect(part.isWellFormed()).toBe(true)
})

test('detaches at the detach key, sends the text before it and drops the text after it', () => {
  const { sent, type, onDetach } = slowSession()
  type('ls\r\x1drm\r')
  expect(onDetach).toHaveBeenCalledOnce()
  expect(sent).toEqual(['ls\r'])
})

test('drops input that is not sent yet when told to discard it', async () => {
  const { sent, type, sender, takes } = slowSession()
  type('a')
  type('b')
  sender.discard()
  await takes()
  expect(sent).toEqual(['a'])
})
