/** The modes that a program has set on its terminal: only those that are used. */
import type { Internals } from '../emulator/internals.ts'

export interface Cursor {
  readonly row: number
  readonly column: number
  readonly character: string
  readonly isVisible: boolean
  readonly shape: 'block' | 'underline' | 'bar'
}

export interface Modes {
  readonly alternateScreen: boolean
  readonly bracketedPaste: boolean
  readonly applicationCursor: boolean
  readonly applicationKeypad: boolean
  readonly mouse: 'none' | 'x10' | 'vt200' | 'drag' | 'any'
}

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
