/** The switches a program has set on its terminal, as far as anybody reads them. */
import type { Internals } from './emulator/internals.ts'
import type { Cursor, Modes } from './screen.ts'

export function modesOf({ buffers, coreService, coreMouseService }: Internals): Modes {
  const { decPrivateModes } = coreService
  return {
    alternateScreen: buffers.active === buffers.alt,
    bracketedPaste: decPrivateModes.bracketedPasteMode,
    applicationCursor: decPrivateModes.applicationCursorKeys,
    applicationKeypad: decPrivateModes.applicationKeypad,
    mouse: mouseModes[coreMouseService.activeProtocol],
  }
}

const mouseModes = { NONE: 'none', X10: 'x10', VT200: 'vt200', DRAG: 'drag', ANY: 'any' } as const

export function cursorShape({ coreService }: Internals): Cursor['shape'] {
  return coreService.decPrivateModes.cursorStyle ?? 'block'
}
