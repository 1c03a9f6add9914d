/** Lines that have scrolled beyond the scrollback in memory. A program that clears the scrollback clears them too. */
import type { Emulator } from './emulator.ts'

export interface OlderLines {
  /** There are such lines, or there may be, since the scrollback is full. */
  exist: boolean
  /** Call it after output and after a resize. */
  update(): void
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
    update() {
      const { lines } = internals.buffers.normal
      if (lines.length === lines.maxLength) older.exist = true
    },
  }
  return older
}
