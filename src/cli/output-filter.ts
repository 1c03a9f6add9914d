/**
 * What of a program's output may reach the terminal of a person: all that draws, as the hub's own emulator knows it, and
 * nothing that
 *
 *   – asks the terminal something: the emulator has answered already, and a second answer would be typed into the program
 *   – leaves the alternate screen we are on, or erases what stands above it: that belongs to the person
 *   – stays behind and cannot be undone, such as a changed key encoding, a directory, a resized window
 */
import type { Piece } from './sequences.ts'
import { createSequenceReader } from './sequences.ts'

export interface OutputFilter {
  pass(output: string): Passed
  /** Takes back the colours and tab stops that the program has set, on a terminal so wide. */
  undo(cols: number): string
}

export interface Passed {
  readonly text: string
  /** The program has left its alternate screen: what it left behind there is not ours to bring back. Draw it anew. */
  readonly isStale: boolean
}

export interface OutputFilterOptions {
  /** Whether the program may set the clipboard. */
  readonly clipboard: boolean
}

export function createOutputFilter(options: OutputFilterOptions): OutputFilter {
  const reader = createSequenceReader()
  /** Numbers of the sequences that take colours back. */
  const undoing = new Set<string>()
  let hasOwnStops = false
  /** The program is on its alternate screen. To enter it once more means nothing. */
  let isAlternate = false

  function enterAlternate(): string {
    const isThere = isAlternate
    isAlternate = true
    return isThere ? '' : entered
  }

  function passOsc({ number, data }: Piece & { is: 'osc' }): string {
    const undo = colourUndoing.get(number)
    if (undo !== undefined) {
      if (data.split(';').includes('?')) return ''
      undoing.add(undo)
    } else if (number === '52') {
      if (!options.clipboard || data.endsWith('?')) return ''
    } else if (!passedOscs.has(number) || (number === '9' && data.startsWith('4;'))) {
      return ''
    }
    // A reset of all colours has nothing behind its number.
    const rest = number.startsWith('1') && data === '' ? '' : `;${data}`
    return `\x1b]${number}${rest}\x1b\\`
  }

  return {
    pass(output) {
      let text = ''
      for (const piece of reader.read(output)) {
        switch (piece.is) {
          case 'text':
            text += piece.text
            break
          case 'control':
            if (passedControls.has(piece.code)) text += piece.code
            break
          case 'escape':
            hasOwnStops ||= piece.final === 'H'
            text += passEscape(piece)
            break
          case 'osc':
            text += passOsc(piece)
            break
          case 'csi': {
            hasOwnStops ||= piece.final === 'g'
            const isSwitch = isModeSwitch(piece)
            if (isSwitch && leavesAlternateScreen(piece)) return { text, isStale: true }
            text += isSwitch ? passModes(piece, enterAlternate) : passCsi(piece)
            break
          }
        }
      }
      return { text, isStale: false }
    },
    undo: (cols) =>
      [...undoing].map((number) => `\x1b]${number}\x1b\\`).join('') + (hasOwnStops ? usualStops(cols) : ''),
  }
}

/** A terminal as it is when a program starts: no modes, no colours, no margins. The screen stays as it is. */
export const plainModes = [
  '\x1b[?2026l',
  '\x1b[0m\x1b[r\x1b[4l\x1b[20l\x1b(B\x1b)B\x1b*B\x1b+B\x0f',
  '\x1b[?1l\x1b[?5l\x1b[?6l\x1b[?7h\x1b[?45l\x1b>',
  '\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1016l\x1b[?1004l\x1b[?2004l',
  '\x1b]8;;\x1b\\\x1b[0 q\x1b[?25h',
].join('')

export const emptyScreen = '\x1b[H\x1b[2J'

/** A tab stop at every eighth column. */
function usualStops(cols: number): string {
  const columns = Array.from({ length: Math.ceil(cols / 8) }, (_, index) => index * 8 + 1)
  return `\x1b[3g${columns.map((column) => `\x1b[${column}G\x1bH`).join('')}`
}

function passEscape({ intermediates, final }: Piece & { is: 'escape' }): string {
  if (intermediates === '') {
    // A full reset would also leave our screen.
    if (final === 'c') return plainModes + emptyScreen
    return passedEscapes.has(final) ? `\x1b${final}` : ''
  }
  const isCharset = /^[()*+]$/.test(intermediates)
  return isCharset || (intermediates === '#' && final === '8') ? `\x1b${intermediates}${final}` : ''
}

function passCsi({ prefix, parameters, intermediates, final }: Piece & { is: 'csi' }): string {
  const sequence = `\x1b[${prefix}${parameters}${intermediates}${final}`
  if (prefix === '?') return intermediates === '' && (final === 'J' || final === 'K') ? sequence : ''
  if (prefix !== '') return ''
  if (intermediates !== '') return passedWithIntermediates.has(intermediates + final) ? sequence : ''
  // What has scrolled off the top is not the program's to erase.
  if (final === 'J' && parameters === '3') return ''
  return passedFinals.has(final) ? sequence : ''
}

function isModeSwitch({ prefix, intermediates, final }: Piece & { is: 'csi' }): boolean {
  return (prefix === '?' || prefix === '') && intermediates === '' && (final === 'h' || final === 'l')
}

function leavesAlternateScreen({ prefix, parameters, final }: Piece & { is: 'csi' }): boolean {
  return prefix === '?' && final === 'l' && parameters.split(';').some((mode) => alternateScreenModes.has(mode))
}

/** One sequence may switch many; each is judged for itself. */
function passModes({ prefix, parameters, final }: Piece & { is: 'csi' }, enterAlternate: () => string): string {
  return parameters
    .split(';')
    .map((mode) => {
      if (prefix === '') return passedAnsiModes.has(mode) ? `\x1b[${mode}${final}` : ''
      if (mode === '1048') return final === 'h' ? '\x1b7' : '\x1b8'
      if (alternateScreenModes.has(mode)) return enterAlternate()
      return passedModes.has(mode) ? `\x1b[?${mode}${final}` : ''
    })
    .join('')
}

/**
 * The program's alternate screen: empty, without margins, and the wheel types arrow keys, by which pagers scroll. The
 * cursor stays, since it is saved at this moment in any case.
 */
const entered = '\x1b7\x1b[r\x1b8\x1b[2J\x1b[?1007h'

const alternateScreenModes = new Set(['47', '1047', '1049'])
/** Cursor keys, reverse video, origin, wrapping, mouse, cursor, keypad, focus, bracketed paste, drawing at once. */
const passedModes = new Set('1 5 6 7 9 12 25 45 66 1000 1002 1003 1004 1006 1016 2004 2026'.split(' '))
/** Insertion, and line feeds that return. */
const passedAnsiModes = new Set(['4', '20'])
const passedFinals = new Set('@ABCDEFGHIJKLMPSTXZ`abdefgmrsu')
/** The shape of the cursor, protected cells, a soft reset, columns inserted, deleted and moved. */
const passedWithIntermediates = new Set([' q', '"q', '!p', ' @', ' A', "'}", "'~"])
const passedEscapes = new Set('78DEHM=>no|}~NO')
const passedControls = new Set('\x07\b\t\n\v\f\r\x0e\x0f')
/** Titles, links, notices for the person. */
const passedOscs = new Set(['0', '1', '2', '8', '9', '104', '110', '111', '112', '777'])
/** The number that sets a colour, and the one that takes it back. */
const colourUndoing = new Map([
  ['4', '104'],
  ['10', '110'],
  ['11', '111'],
  ['12', '112'],
])
