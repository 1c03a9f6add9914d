/** The modes of an emulator as the sequences that set them. Modes in their initial state need none. */
import type { Charset, Internals } from './internals.ts'

/** All modes except insert mode, which would disturb the drawing. */
export function modeSequences({ coreService, coreMouseService, optionsService }: Internals): string {
  const { decPrivateModes: modes } = coreService
  const { rawOptions: options } = optionsService
  return [
    modes.applicationCursorKeys && '\x1b[?1h',
    modes.origin && '\x1b[?6h',
    !modes.wraparound && '\x1b[?7l',
    options.cursorBlink && '\x1b[?12h',
    coreService.isCursorHidden && '\x1b[?25l',
    modes.reverseWraparound && '\x1b[?45h',
    modes.applicationKeypad && '\x1b[?66h',
    modes.sendFocus && '\x1b[?1004h',
    modes.bracketedPasteMode && '\x1b[?2004h',
    modes.synchronizedOutput && '\x1b[?2026h',
    options.convertEol && '\x1b[20h',
    cursorStyle(modes),
    mouseProtocols[coreMouseService.activeProtocol],
    mouseEncodings[coreMouseService.activeEncoding],
  ]
    .filter((sequence) => typeof sequence === 'string')
    .join('')
}

const mouseProtocols = {
  NONE: '',
  X10: '\x1b[?9h',
  VT200: '\x1b[?1000h',
  DRAG: '\x1b[?1002h',
  ANY: '\x1b[?1003h',
} as const
const mouseEncodings = { DEFAULT: '', SGR: '\x1b[?1006h', SGR_PIXELS: '\x1b[?1016h' } as const

function cursorStyle({ cursorStyle, cursorBlink }: Internals['coreService']['decPrivateModes']): string {
  if (cursorBlink === undefined) return ''
  // In each pair the odd number blinks. 7 and 8 are the emulator's own numbers for a blink setting without a shape.
  const pair = cursorStyle === undefined ? 7 : { block: 1, underline: 3, bar: 5 }[cursorStyle]
  return `\x1b[${cursorBlink ? pair : pair + 1} q`
}

/** `undefined` for charsets that cannot be told apart, and for an active charset that no level has. */
export function charsetSequences({ _charsetService: { charset, glevel, _charsets } }: Internals): string | undefined {
  if (charset !== _charsets[glevel]) return undefined
  const names = [0, 1, 2, 3].map((level) => charsetName(_charsets[level]))
  if (names.includes(undefined)) return undefined
  const designations = names.map((name, level) => (name === 'B' ? '' : `\x1b${'()*+'.charAt(level)}${name}`))
  return designations.join('') + ['', '\x0e', '\x1bn', '\x1bo'][glevel]
}

/** The designation of a charset: ASCII, line drawing or British. The national ones are not in use any more. */
export function charsetName(charset: Charset | undefined): 'B' | '0' | 'A' | undefined {
  if (charset === undefined) return 'B'
  if (charset['q'] === '\u2500') return '0'
  return charset['#'] === '\u00a3' && Object.keys(charset).length === 1 ? 'A' : undefined
}
