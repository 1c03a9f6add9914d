/**
 * Decides which part of a program's output reaches the person's terminal: everything that draws and that the hub's own
 * emulator knows. The filter removes sequences that
 *
 *   – ask the terminal a question: the emulator has answered already, and a second answer would be typed into the program
 *   – leave the alternate screen we are on, or erase the scrollback: both belong to the person
 *   – have an effect that lasts and cannot be undone, such as a changed key encoding, a directory, a resized window
 */
import { isSafeLink } from '../terminal-output/safe-link.ts'
import type { Piece } from './sequence-parser.ts'
import { createSequenceParser } from './sequence-parser.ts'

export interface OutputFilter {
  pass(output: string): Passed
  /** The sequences that reset the colours and tab stops which the program has set, on a terminal with this many columns. */
  undo(cols: number): string
}

export interface Passed {
  readonly text: string
  /** The program has left its alternate screen, and only the hub knows the screen below it. Draw a new snapshot. */
  readonly isStale: boolean
}

export interface OutputFilterOptions {
  /** Whether the program may set the clipboard. */
  readonly clipboard: boolean
}

export function createOutputFilter(options: OutputFilterOptions): OutputFilter {
  const parser = createSequenceParser()
  /** OSC numbers that reset the colours which the program has set. */
  const colourResets = new Set<string>()
  let hasCustomTabStops = false
  /** The program is on its alternate screen. Entering it again has no effect. */
  let isAlternate = false

  function enterAlternate(): string {
    const wasAlternate = isAlternate
    isAlternate = true
    return wasAlternate ? '' : enterEmptyScreen
  }

  function passOsc({ number, data }: Piece & { is: 'osc' }): string {
    const undo = resetOfColour.get(number)
    if (undo !== undefined) {
      if (data.split(';').includes('?')) return ''
      colourResets.add(undo)
    } else if (number === '52') {
      if (!options.clipboard || data.endsWith('?')) return ''
    } else if (!passedOscs.has(number) || isCommand(number, data)) {
      return ''
    } else if (number === '8' && !isSafeLink(urlOf(data))) {
      // The text that follows must not belong to the link before it.
      return noLink
    }
    // A reset of all colours has no data after its number.
    const rest = number.startsWith('1') && data === '' ? '' : `;${data}`
    return `\x1b]${number}${rest}\x1b\\`
  }

  return {
    pass(output) {
      let text = ''
      for (const piece of parser.parse(output)) {
        switch (piece.is) {
          case 'text':
            text += piece.text
            break
          case 'control':
            if (passedControls.has(piece.code)) text += piece.code
            break
          case 'escape':
            hasCustomTabStops ||= piece.final === 'H'
            text += passEscape(piece)
            break
          case 'osc':
            text += passOsc(piece)
            break
          case 'csi': {
            hasCustomTabStops ||= piece.final === 'g'
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
      [...colourResets].map((number) => `\x1b]${number}\x1b\\`).join('') +
      (hasCustomTabStops ? defaultTabStops(cols) : ''),
  }
}

/** Of a link: `parameters;url`. */
function urlOf(data: string): string {
  return data.slice(data.indexOf(';') + 1)
}

/** Some terminals also use the OSC numbers of notifications for commands: ConEmu runs programs, urxvt its extensions. */
function isCommand(number: string, data: string): boolean {
  return (number === '9' && /^\d+(?:;|$)/.test(data)) || (number === '777' && !data.startsWith('notify;'))
}

const noLink = '\x1b]8;;\x1b\\'

/** Resets modes, colours and margins to their state at the start of a program. Leaves the screen content alone. */
export const plainModes = [
  '\x1b[?2026l',
  '\x1b[0m\x1b[r\x1b[4l\x1b[20l\x1b(B\x1b)B\x1b*B\x1b+B\x0f',
  '\x1b[?1l\x1b[?5l\x1b[?6l\x1b[?7h\x1b[?45l\x1b>',
  '\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1016l\x1b[?1004l\x1b[?2004l',
  `${noLink}\x1b[0 q\x1b[?25h`,
].join('')

export const emptyScreen = '\x1b[H\x1b[2J'

/** A tab stop at every eighth column. */
function defaultTabStops(cols: number): string {
  const columns = Array.from({ length: Math.ceil(cols / 8) }, (_, index) => index * 8 + 1)
  return `\x1b[3g${columns.map((column) => `\x1b[${column}G\x1bH`).join('')}`
}

function passEscape({ intermediates, final }: Piece & { is: 'escape' }): string {
  if (intermediates === '') {
    // A full reset would also leave our alternate screen.
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
  // The scrollback belongs to the person, not to the program.
  if (final === 'J' && parameters === '3') return ''
  return passedFinals.has(final) ? sequence : ''
}

function isModeSwitch({ prefix, intermediates, final }: Piece & { is: 'csi' }): boolean {
  return (prefix === '?' || prefix === '') && intermediates === '' && (final === 'h' || final === 'l')
}

function leavesAlternateScreen({ prefix, parameters, final }: Piece & { is: 'csi' }): boolean {
  return prefix === '?' && final === 'l' && parameters.split(';').some((mode) => alternateScreenModes.has(mode))
}

/** One sequence may switch several modes. Each is checked on its own. */
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
 * Emulates the program's alternate screen: empty, without margins, and the wheel sends arrow keys, which scroll pagers. The
 * cursor keeps its place, because a real terminal saves it at this moment.
 */
const enterEmptyScreen = '\x1b7\x1b[r\x1b8\x1b[2J\x1b[?1007h'

const alternateScreenModes = new Set(['47', '1047', '1049'])
/** Cursor keys, reverse video, origin, wrapping, mouse, cursor, keypad, focus, bracketed paste, synchronized output. */
const passedModes = new Set('1 5 6 7 9 12 25 45 66 1000 1002 1003 1004 1006 1016 2004 2026'.split(' '))
/** Insert mode, and new-line mode. */
const passedAnsiModes = new Set(['4', '20'])
const passedFinals = new Set('@ABCDEFGHIJKLMPSTXZ`abdefgmrsu')
/** Cursor shape, protected cells, soft reset, and inserting, deleting and shifting columns. */
const passedWithIntermediates = new Set([' q', '"q', '!p', ' @', ' A', "'}", "'~"])
const passedEscapes = new Set('78DEHM=>no|}~NO')
const passedControls = new Set('\x07\b\t\n\v\f\r\x0e\x0f')
/** Titles, links, colour resets, and notifications for the person. */
const passedOscs = new Set(['0', '1', '2', '8', '9', '104', '110', '111', '112', '777'])
/** The OSC number that sets a colour, and the one that resets it. */
const resetOfColour = new Map([
  ['4', '104'],
  ['10', '110'],
  ['11', '111'],
  ['12', '112'],
])
