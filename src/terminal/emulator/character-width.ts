/**
 * How many columns a character takes: Unicode 11, as in xterm.js and the editors built on it, so that emoji take two.
 * Grapheme clusters are not used: programs that draw in columns (ncurses, readline, runewidth) do not count them, and
 * the screen stays aligned as long as both sides count alike.
 */
import { Unicode11Addon } from '@xterm/addon-unicode11'
import type { IUnicodeVersionProvider, Terminal } from '@xterm/headless'

/** Limits the combining marks of one cell. No script needs that many. */
const maxMarks = 20

export function countCharactersAsUnicode11(terminal: Terminal): void {
  terminal.unicode.register(widths)
  terminal.unicode.activeVersion = widths.version
}

/** The emulator's state after a character, which tells whether the next one joins it; 0 after any sequence. */
export function joinState(text: string, before: number): number {
  if (text.length === 1 && text < '\u0300') return narrow
  let state = before
  for (const character of text) state = widths.charProperties(character.codePointAt(0)!, state)
  return state
}

/** How many codepoints the character has after which the emulator is in this state. */
export function codepointsIn(state: number): number {
  return 1 + (state >>> marksShift)
}

/** Whether `text`, printed next, would join the character before it. */
export function isJoining(text: string, state: number): boolean {
  const first = text.codePointAt(0)
  return first !== undefined && first >= 0x300 && (widths.charProperties(first, state) & isJoined) !== 0
}

/** The column of each index of a text, and of its end. */
export function columnsOf(text: string): Uint16Array {
  const columns = new Uint16Array(text.length + 1)
  let state = 0
  let column = 0
  let width = 0
  let index = 0
  for (const character of text) {
    state = widths.charProperties(character.codePointAt(0)!, state)
    if (!(state & isJoined)) {
      column += width
      width = (state & widthMask) >> widthShift
    }
    for (let unit = 0; unit < character.length; unit++) columns[index++] = column
  }
  columns[index] = column + width
  return columns
}

// The properties of a character are one number: whether it joins the character before (1 bit), and the width of both
// (2 bits). The other bits are ours.
const isJoined = 1
const widthMask = 6
const widthShift = 1
const narrow = 2
const isAlone = 8
const marksShift = 4

const widths: IUnicodeVersionProvider = {
  version: '11-bounded',
  wcwidth: (codepoint) => unicode11Table.wcwidth(codepoint),
  charProperties(codepoint, preceding) {
    // Called for every printed character, so the common case comes first.
    if (codepoint >= 0x20 && codepoint < 0x7f) return narrow
    const base = preceding & isAlone ? 0 : preceding
    const properties = unicode11Table.charProperties(codepoint, base & (isJoined | widthMask))
    const marks = (base >>> marksShift) + 1
    if (properties & isJoined && marks <= maxMarks) return properties | (marks << marksShift)
    // The emulator gives a mark without a base character a column of its own, so its width is one.
    return properties & isJoined || !(properties & widthMask) ? narrow | isAlone : properties
  },
}

const unicode11Table = readTable()

/** The addon gives its table only to a terminal. */
function readTable(): IUnicodeVersionProvider {
  const found: IUnicodeVersionProvider[] = []
  const terminal = { unicode: { register: (provider: IUnicodeVersionProvider) => void found.push(provider) } }
  new Unicode11Addon().activate(terminal as unknown as Parameters<Unicode11Addon['activate']>[0])
  const [table] = found
  if (!table) throw new Error('The Unicode 11 addon did not register a table.')
  return table
}
