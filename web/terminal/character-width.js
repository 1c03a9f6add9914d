// @ts-check
/**
 * How many columns a character takes: exactly as the hub counts (`src/terminal/emulator/character-width.ts`), or what it
 * draws would not line up here. Unicode 11, and no more marks on one character than any script needs.
 */
import { Unicode11Addon } from '../xterm/addon-unicode11.js'

/** @typedef {import('../xterm/xterm.js').IUnicodeVersionProvider} Widths */

const maxMarks = 20

// The properties of a character are one number: whether it joins the one before (1 bit), the width of both (2 bits);
// the rest is ours.
const isJoined = 1
const widthMask = 6
const narrow = 2
const isAlone = 8
const marksShift = 4

/** @param {import('../xterm/xterm.js').Terminal} terminal */
export function countCharactersAsTheHub(terminal) {
  const table = readTable()
  /** @type {Widths} */
  const widths = {
    version: '11-bounded',
    wcwidth: (codepoint) => table.wcwidth(codepoint),
    charProperties(codepoint, preceding) {
      if (codepoint >= 0x20 && codepoint < 0x7f) return narrow
      const base = preceding & isAlone ? 0 : preceding
      const properties = table.charProperties(codepoint, base & (isJoined | widthMask))
      const marks = (base >>> marksShift) + 1
      if (properties & isJoined && marks <= maxMarks) return properties | (marks << marksShift)
      // A mark with nothing to stand on is given a column by the emulator; so let it have the width of one.
      return properties & isJoined || !(properties & widthMask) ? narrow | isAlone : properties
    },
  }
  terminal.unicode.register(widths)
  terminal.unicode.activeVersion = widths.version
}

/** The addon gives its table to a terminal only. @returns {Widths} */
function readTable() {
  /** @type {Widths[]} */
  const found = []
  const taker = { unicode: { register: (/** @type {Widths} */ table) => void found.push(table) } }
  new Unicode11Addon().activate(/** @type {any} */ (taker))
  const [table] = found
  if (!table) throw new Error('the Unicode 11 addon registers no table')
  return table
}
