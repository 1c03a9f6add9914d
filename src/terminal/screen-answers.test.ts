import { expect, test } from 'vitest'
import { screenWith } from '../../test/fixtures/screen-with.ts'
import type { Screen } from './screen.ts'

async function answersTo(output: string, before?: (screen: Screen) => Promise<void>): Promise<readonly string[]> {
  const answers: string[] = []
  const screen = await screenWith('', { onAnswer: (bytes) => void answers.push(bytes.toString()) })
  await before?.(screen)
  await screen.feed(Buffer.from(output))
  return answers
}

test.each([
  ['who are you (DA1)', '\x1b[c', '\x1b[?1;2c'],
  ['who exactly (DA2)', '\x1b[>c', '\x1b[>0;276;0c'],
  ['which emulator (XTVERSION)', '\x1b[>q', '\x1bP>|xterm.js(6.0.0)\x1b\\'],
  ['are you well (DSR)', '\x1b[5n', '\x1b[0n'],
  ['where is the cursor (CPR)', 'ab\r\nc\x1b[6n', '\x1b[2;2R'],
  ['which modes are set (DECRQM)', '\x1b[?2004h\x1b[?2004$p', '\x1b[?2004;1$y'],
  ['which modes are known (DECRQM)', '\x1b[?9999$p', '\x1b[?9999;0$y'],
  ['where are the margins (DECRQSS)', '\x1b[2;3r\x1bP$qr\x1b\\', '\x1bP1$r2;3r\x1b\\'],
  ['how large are you', '\x1b[18t', '\x1b[8;4;20t'],
  ['what colour has text', '\x1b]10;?\x07', '\x1b]10;rgb:ffff/ffff/ffff\x1b\\'],
  ['what colour has the ground', '\x1b]11;?\x1b\\', '\x1b]11;rgb:0000/0000/0000\x1b\\'],
  ['what colour has the ground now', '\x1b]11;#123456\x07\x1b]11;?\x07', '\x1b]11;rgb:1212/3434/5656\x1b\\'],
  ['what colour has the cursor', '\x1b]12;?\x07', '\x1b]12;rgb:ffff/ffff/ffff\x1b\\'],
  ['what are text and ground', '\x1b]10;?;?\x07', '\x1b]10;rgb:ffff/ffff/ffff\x1b\\\x1b]11;rgb:0000/0000/0000\x1b\\'],
  [
    'what are two of the colours',
    '\x1b]4;1;?;196;?\x07',
    '\x1b]4;1;rgb:cccc/0000/0000\x1b\\\x1b]4;196;rgb:ffff/0000/0000\x1b\\',
  ],
])('%s is answered once', async (_, question, answer) => {
  expect((await answersTo(question)).join('')).toBe(answer)
})

test.each([
  ['for the clipboard', '\x1b]52;c;?\x07'],
  ['for a colour there is none of', '\x1b]4;256;?\x07'],
  ['for the title, which the program itself may have got from elsewhere', '\x1b]0;rm -rf\x07\x1b[21t'],
  ['that is none', 'just text\x1b[31m'],
])('a question %s is not answered', async (_, question) => {
  expect(await answersTo(question)).toEqual([])
})

test('what is written to the clipboard goes nowhere', async () => {
  expect(await answersTo('\x1b]52;c;c2VjcmV0\x07\x1b]52;c;?\x07')).toEqual([])
})

test('bytes that are replayed ask nothing, those after them do', async () => {
  const replayed = async (screen: Screen) => screen.feed(Buffer.from('\x1b[c\x1b[6n\x1b]11;?\x07'), { isReplay: true })
  expect(await answersTo('\x1b[5n', replayed)).toEqual(['\x1b[0n'])
})

test('a question cut in two, half of it replayed, is answered when its end is new', async () => {
  const replayed = async (screen: Screen) => screen.feed(Buffer.from('\x1b[5'), { isReplay: true })
  expect(await answersTo('n', replayed)).toEqual(['\x1b[0n'])
})

test('drawing a snapshot asks nothing', async () => {
  const asked = await screenWith('\x1b]11;#123456\x07\x1b[?2004h\x1b[6n text')
  const answers: Buffer[] = []
  const again = await screenWith('', { from: asked.snapshot()!, onAnswer: (bytes) => void answers.push(bytes) })
  await again.settled()
  expect(answers).toEqual([])
})
