import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Piece } from './sequence-parser.ts'
import { createSequenceParser } from './sequence-parser.ts'

const parse = (output: string) => createSequenceParser().parse(output)
const text = (text: string): Piece => ({ is: 'text', text })
const control = (code: string): Piece => ({ is: 'control', code })
const csi = (parts: Partial<Piece & { is: 'csi' }>): Piece => ({
  is: 'csi',
  prefix: '',
  parameters: '',
  intermediates: '',
  final: 'm',
  ...parts,
})

test.each<[string, string, Piece[]]>([
  ['text and controls', 'a漢😀\r\n', [text('a漢😀'), control('\r'), control('\n')]],
  ['a sequence with parameters', '\x1b[1;38:5:2mx', [csi({ parameters: '1;38:5:2' }), text('x')]],
  ['a private sequence', '\x1b[?25h', [csi({ prefix: '?', parameters: '25', final: 'h' })]],
  ['a sequence with an intermediate', '\x1b[4 q', [csi({ parameters: '4', intermediates: ' ', final: 'q' })]],
  ['a sequence in 8-bit controls', '\x9b5n', [csi({ parameters: '5', final: 'n' })]],
  [
    'an escape',
    '\x1b(0\x1b7',
    [
      { is: 'escape', intermediates: '(', final: '0' },
      { is: 'escape', intermediates: '', final: '7' },
    ],
  ],
  ['a string ended by a bell', '\x1b]0;a;b\x07c', [{ is: 'osc', number: '0', data: 'a;b' }, text('c')]],
  ['a string ended by its terminator', '\x1b]104\x1b\\c', [{ is: 'osc', number: '104', data: '' }, text('c')]],
  [
    'a string ended by another sequence',
    '\x1b]2;a\x1b[mc',
    [{ is: 'osc', number: '2', data: 'a' }, csi({}), text('c')],
  ],
  ['a cancelled string', '\x1b]2;a\x18c', [text('c')]],
  [
    'strings that no viewer shows',
    'a\x1bPq\x07#1\x1b\\b\x1b_Gx\x1b\\c\x1bXy\x1b\\d\x1b^z\x1b\\e',
    'abcde'.split('').map(text),
  ],
  ['a control within a sequence', '\x1b[1\n;2H', [control('\n'), csi({ parameters: '1;2', final: 'H' })]],
  ['a sequence within a sequence', '\x1b[1\x1b[2Jx', [csi({ parameters: '2', final: 'J' }), text('x')]],
  ['a cancelled sequence', '\x1b[1\x18x', [text('x')]],
  ['a sequence that no terminal understands', '\x1b[1?5hx', [text('x')]],
])('parses %s', (_, output, pieces) => {
  expect(parse(output)).toEqual(pieces)
})

describe('output that arrives in pieces', () => {
  test('is parsed as if it arrived in one', () => {
    const bit = fc.oneof(
      fc.constantFrom(
        '\x1b',
        '[',
        ']',
        '0;',
        '\x07',
        '\x1b\\',
        '?',
        '1',
        ';',
        'h',
        'm',
        '\x18',
        '\x1bP',
        'x',
        'é',
        '\x9b',
      ),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(bit, { maxLength: 30 }), (bits) => {
        const parser = createSequenceParser()
        const inPieces = bits.flatMap((each) => parser.parse(each))
        expect(joined(inPieces)).toEqual(joined(parse(bits.join(''))))
      }),
      { numRuns: 2_000 },
    )
  })

  test('does not use unlimited memory for a string that never ends', () => {
    const parser = createSequenceParser()
    expect(parser.parse('\x1b]52;c;')).toEqual([])
    for (let count = 0; count < 40; count++) expect(parser.parse('x'.repeat(64 * 1024))).toEqual([])
    expect(parser.parse('x\x07after')).toEqual([text('after')])
  })
})

/** Joins neighbouring texts. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = []
  for (const piece of pieces) {
    const last = all.at(-1)
    if (piece.is === 'text' && last?.is === 'text') all[all.length - 1] = text(last.text + piece.text)
    else all.push(piece)
  }
  return all
}
