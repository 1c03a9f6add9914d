import { expect, test } from 'vitest'
import { openToolbox } from '../../test/worlds/terminal-toolbox.ts'

/** A program that prints every byte of its input on a line of its own. */
async function openHexdump(before = '') {
  const box = await openToolbox(`${before}stty raw opost -echo; echo ready; exec od -An -v -tx1 -w1`)
  await box.call('wait_for', { for: 'text', value: 'ready' })
  return box
}

function shown(bytes: string): string {
  return [
    'ready',
    ...Buffer.from(bytes)
      .toString('hex')
      .match(/../g)!
      .map((byte) => ` ${byte}`),
  ].join('\n')
}

test('send_text types text unchanged and counts the bytes', async () => {
  const box = await openToolbox('stty -echo; printf ready; read line; printf "<%s>" "$line"')
  await box.call('wait_for', { for: 'text', value: 'ready' })
  const sent = await box.call('send_text', { text: 'Enter -n é 😀 C-c\r' })
  expect(sent).toEqual({ success: true, bytes_written: Buffer.byteLength('Enter -n é 😀 C-c\r'), offset: 5 })
  expect(await box.call('wait_for', { for: 'text', value: '<Enter -n é 😀 C-c>' })).toMatchObject({ met: true })
})

test('a paste is bracketed if the program asked for it', async () => {
  const box = await openHexdump(`printf '\\033[?2004h';`)
  await box.call('send_text', { text: 'a\nb', paste: true })
  expect(await box.call('wait_for', { for: 'text', value: shown('\x1b[200~a\rb\x1b[201~') })).toMatchObject({
    met: true,
  })
})

test('keys are pressed in order and encoded for the mode of the program', async () => {
  const box = await openHexdump(`printf '\\033[?1h';`)
  expect(await box.call('send_keys', { keys: 'Up  ctrl+C F5 x' })).toMatchObject({ success: true, keys_sent: 4 })
  const value = shown('\x1bOA\x03\x1b[15~x')
  expect(await box.call('wait_for', { for: 'text', value })).toMatchObject({ met: true })
})

test('an unknown key is an error that lists the known keys, and nothing is sent', async () => {
  const box = await openHexdump()
  const { offset } = box.terminal
  const sentence = await box.failure('send_keys', { keys: 'a Entre b' })
  expect(sentence).toContain('there is no key "Entre"')
  expect(sentence).toContain('Use Enter, ')
  await box.call('send_text', { text: 'z' })
  const { screen } = await box.call('wait_for', { for: 'text', value: '7a', since: offset })
  expect(screen).not.toContain(' 61')
})

test('input to a program that has ended is refused', async () => {
  const box = await openToolbox('exit 3')
  await box.call('wait_for', { for: 'exit' })
  const ended = 'The program has ended. Its screen and its output can still be read.'
  expect(await box.failure('send_text', { text: 'x' })).toBe(ended)
  expect(await box.failure('send_keys', { keys: 'x' })).toBe(ended)
  expect(await box.failure('resize', { cols: 90, rows: 30 })).toBe(ended)
})

test('resize answers once the size has changed, and the program gets SIGWINCH', async () => {
  const box = await openToolbox(`trap 'stty size' WINCH; printf ready; while :; do sleep 0.1; done`)
  await box.call('wait_for', { for: 'text', value: 'ready' })
  expect(await box.call('resize', { cols: 90, rows: 30 })).toEqual({ success: true, cols: 90, rows: 30 })
  expect(box.terminal.size).toEqual({ cols: 90, rows: 30 })
  expect(await box.call('wait_for', { for: 'text', value: '30 90' })).toMatchObject({ met: true })
  expect(await box.failure('resize', { cols: 1, rows: 30 })).toContain('"cols"')
})

test('only one viewer types at a time, and the others learn who it is and may take over', async () => {
  const box = await openHexdump()
  await box.call('send_text', { text: 'a', viewer: 'anna' })
  const refused = '"anna" is typing, so nothing was done. Read along, or take over: claim_input with take_over true.'
  expect(await box.failure('send_text', { text: 'b', viewer: 'ben' })).toBe(refused)
  expect(await box.failure('send_keys', { keys: 'b', viewer: 'ben' })).toBe(refused)
  expect(await box.failure('resize', { cols: 90, rows: 30, viewer: 'ben' })).toBe(refused)
  expect(await box.call('claim_input', { viewer: 'ben' })).toEqual({ granted: false, writer: 'anna' })
  expect(await box.call('claim_input', { viewer: 'ben', take_over: true })).toEqual({ granted: true, writer: 'ben' })
  await box.call('send_text', { text: 'c', viewer: 'ben' })
  expect(await box.failure('send_text', { text: 'd', viewer: 'anna' })).toContain('"ben" is typing')
  const { screen } = await box.call('wait_for', { for: 'text', value: ' 63' })
  expect(screen).toBe(shown('ac'))
})

test('a call without a viewer always goes through, and a resize does not claim the input', async () => {
  const box = await openHexdump()
  await box.call('resize', { cols: 90, rows: 30, viewer: 'ben' })
  await box.call('send_text', { text: 'a', viewer: 'anna' })
  await box.call('send_text', { text: 'b' })
  await box.call('resize', { cols: 70, rows: 20 })
  expect((await box.call('wait_for', { for: 'text', value: ' 62' })).screen).toBe(shown('ab'))
})
