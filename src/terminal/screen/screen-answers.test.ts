import { expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import type { Screen } from './screen.ts'

async function answersTo(output: string, before?: (screen: Screen) => Promise<void>): Promise<readonly string[]> {
  const answers: string[] = []
  const screen = await screenWith('', { onAnswer: (bytes) => void answers.push(bytes.toString()) })
  await before?.(screen)
  await screen.feed(Buffer.from(output))
  return answers
}

test.each([
  ['device attributes (DA1)', '\x1b[c', '\x1b[?1;2c'],
  ['secondary device attributes (DA2)', '\x1b[>c', '\x1b[>0;276;0c'],
  ['the emulator version (XTVERSION)', '\x1b[>q', '\x1bP>|xterm.js(6.0.0)\x1b\\'],
  ['the device status (DSR)', '\x1b[5n', '\x1b[0n'],
  ['the cursor position (CPR)', 'ab\r\nc\x1b[6n', '\x1b[2;2R'],
  ['a set mode (DECRQM)', '\x1b[?2004h\x1b[?2004$p', '\x1b[?2004;1$y'],
  ['an unknown mode (DECRQM)', '\x1b[?9999$p', '\x1b[?9999;0$y'],
  ['the margins (DECRQSS)', '\x1b[2;3r\x1bP$qr\x1b\\', '\x1bP1$r2;3r\x1b\\'],
  ['the size of the screen', '\x1b[18t', '\x1b[8;4;20t'],
  ['the text colour', '\x1b]10;?\x07', '\x1b]10;rgb:ffff/ffff/ffff\x1b\\'],
  ['the background colour', '\x1b]11;?\x1b\\', '\x1b]11;rgb:0000/0000/0000\x1b\\'],
  ['a changed background colour', '\x1b]11;#123456\x07\x1b]11;?\x07', '\x1b]11;rgb:1212/3434/5656\x1b\\'],
  ['the cursor colour', '\x1b]12;?\x07', '\x1b]12;rgb:ffff/ffff/ffff\x1b\\'],
  [
    'the text and background colours',
    '\x1b]10;?;?\x07',
    '\x1b]10;rgb:ffff/ffff/ffff\x1b\\\x1b]11;rgb:0000/0000/0000\x1b\\',
  ],
  [
    'two indexed colours',
    '\x1b]4;1;?;196;?\x07',
    '\x1b]4;1;rgb:cccc/0000/0000\x1b\\\x1b]4;196;rgb:ffff/0000/0000\x1b\\',
  ],
])('a query for %s is answered once', async (_, question, answer) => {
  expect((await answersTo(question)).join('')).toBe(answer)
})

test.each([
  ['query for the clipboard', '\x1b]52;c;?\x07'],
  ['query for a colour that does not exist', '\x1b]4;256;?\x07'],
  ['query for the title, which may contain foreign text', '\x1b]0;rm -rf\x07\x1b[21t'],
  ['plain text', 'just text\x1b[31m'],
])('a %s is not answered', async (_, question) => {
  expect(await answersTo(question)).toEqual([])
})

test('a write to the clipboard is ignored', async () => {
  expect(await answersTo('\x1b]52;c;c2VjcmV0\x07\x1b]52;c;?\x07')).toEqual([])
})

test('queries in replayed bytes are not answered, and later ones are', async () => {
  const replayed = async (screen: Screen) => screen.feed(Buffer.from('\x1b[c\x1b[6n\x1b]11;?\x07'), { isReplay: true })
  expect(await answersTo('\x1b[5n', replayed)).toEqual(['\x1b[0n'])
})

test('a query whose first half was replayed is answered after its second half', async () => {
  const replayed = async (screen: Screen) => screen.feed(Buffer.from('\x1b[5'), { isReplay: true })
  expect(await answersTo('n', replayed)).toEqual(['\x1b[0n'])
})

test('drawing a snapshot sends no answers', async () => {
  const asked = await screenWith('\x1b]11;#123456\x07\x1b[?2004h\x1b[6n text')
  const answers: Buffer[] = []
  const again = await screenWith('', { from: asked.snapshot()!, onAnswer: (bytes) => void answers.push(bytes) })
  await again.settled()
  expect(answers).toEqual([])
})
