import { expect, test } from 'vitest'
import type { Internals } from './internals.ts'
import { createEmulator } from './emulator.ts'
import { sgrSequence } from './pen.ts'

function attributesAfter(sequence: string): Parameters<typeof sgrSequence>[0] {
  using emulator = createEmulator({
    size: { cols: 10, rows: 2 },
    scrollbackLines: 0,
    onAnswer: () => {},
    onFault: () => {},
  })
  emulator.parse(Buffer.from(sequence))
  const { fg, bg, extended }: Internals['_inputHandler']['_curAttrData'] = emulator.internals._inputHandler._curAttrData
  return { foreground: fg, background: bg, extended: extended._ext, linkId: 0 }
}

test.each([
  '\x1b[0m',
  '\x1b[0;1;2;3;5;7;8;9;53m',
  '\x1b[0;4m',
  '\x1b[0;4:2m',
  '\x1b[0;4:3;58:2::1:2:3m',
  '\x1b[0;4:5;58:5:200m',
  '\x1b[0;31;42m',
  '\x1b[0;97;103m',
  '\x1b[0;38;5;9;48;5;200m',
  '\x1b[0;38;2;1;2;3;48;2;255;0;9m',
  '\x1b[0;31m\x1b[1"q',
])('the attributes set by %j are written back as the same sequence', (sequence) => {
  expect(sgrSequence(attributesAfter(sequence))).toBe(sequence)
})
