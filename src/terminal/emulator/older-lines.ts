/** Lines that have scrolled further than they are kept hot; a program that clears the scrollback clears them too. */
import type { Emulator } from './emulator.ts'

export interface OlderLines {
  /** There are such lines, or may be: there is room for no more. */
  exist: boolean
  /** Call after output and after a change of size. */
  note(): void
}

export function followOlderLines({ parser, internals }: Emulator, onClear?: () => void): OlderLines {
  function clear(): false {
    older.exist = false
    onClear?.()
    return false
  }
  parser.registerEscHandler({ final: 'c' }, clear)
  parser.registerCsiHandler({ final: 'J' }, ([what]) => (what === 3 ? clear() : false))
  const older: OlderLines = {
    exist: false,
    note() {
      const { lines } = internals.buffers.normal
      if (lines.length === lines.maxLength) older.exist = true
    },
  }
  return older
}
