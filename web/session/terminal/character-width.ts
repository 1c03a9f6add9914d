/**
 * How many columns a character takes. It must count exactly like the hub (`src/terminal/emulator/character-width.ts`),
 * or the screen would not line up: Unicode 11, with a limit on the combining marks of one character.
 */
import { Unicode11Addon } from '@xterm/addon-unicode11'
import type { IUnicodeVersionProvider, Terminal } from '@xterm/xterm'

const maxMarks = 20

// The properties of a character are one number: whether it joins the character before (1 bit), and the width of both
// (2 bits). The other bits are ours.
const isJoined = 1
const widthMask = 6
const narrow = 2
const isAlone = 8
const marksShift = 4

export function countCharactersLikeTheHub(terminal: Terminal): void {
  const table = readTable()
  const widths: IUnicodeVersionProvider = {
    version: '11-bounded',
    wcwidth: (codepoint) => table.wcwidth(codepoint),
    charProperties(codepoint, preceding) {
      if (codepoint >= 0x20 && codepoint < 0x7f) return narrow
      const base = preceding & isAlone ? 0 : preceding
      const properties = table.charProperties(codepoint, base & (isJoined | widthMask))
      const marks = (base >>> marksShift) + 1
      if (properties & isJoined && marks <= maxMarks) return properties | (marks << marksShift)
      // The emulator gives a mark without a base character a column of its own, so its width is one.
      return properties & isJoined || !(properties & widthMask) ? narrow | isAlone : properties
    },
  }
  terminal.unicode.register(widths)
  terminal.unicode.activeVersion = widths.version
}

/** The addon gives its table only to a terminal. */
function readTable(): IUnicodeVersionProvider {
  const found: IUnicodeVersionProvider[] = []
  const terminal = { unicode: { register: (table: IUnicodeVersionProvider) => void found.push(table) } }
  new Unicode11Addon().activate(terminal as unknown as Terminal)
  const [table] = found
  if (!table) throw new Error('The Unicode 11 addon did not register a table.')
  return table
}
