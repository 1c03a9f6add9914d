/** Writes escape sequences, and sets the attributes only when they change. */
import type { CellAttributes } from './cells.ts'
import { colour, inBackground, inForeground, defaultAttributes } from './cells.ts'
import type { Links } from './links.ts'

export interface Pen {
  /** Appends a sequence that neither prints nor changes the attributes. */
  put(sequence: string): void
  print(text: string, attributes: CellAttributes): void
  /** Sets the attributes. Returns whether that needed a sequence. */
  setAttributes(attributes: CellAttributes): boolean
  /** There is too much to draw: a program can print a long link in every cell. */
  readonly isFull: boolean
  drawing(): string
}

/** A screen with all its lines in memory has a few hundred kilobytes, or some megabytes if each cell has its own style. */
const maxDrawingLength = 8 * 1024 * 1024

export function createPen(links: Links): Pen {
  let drawing = ''
  let attributes = defaultAttributes
  let sequence = sgrSequence(attributes)

  function setAttributes(next: CellAttributes): boolean {
    if (next === attributes) return false
    const nextSequence = sgrSequence(next)
    const isOther = nextSequence !== sequence
    const isOtherLink = next.linkId !== attributes.linkId
    if (isOther) drawing += nextSequence
    if (isOtherLink) {
      const { parameters = '', url = '' } = links.get(next.linkId) ?? {}
      drawing += `\x1b]8;${parameters};${url}\x1b\\`
    }
    attributes = next
    sequence = nextSequence
    return isOther || isOtherLink
  }

  return {
    put(text) {
      drawing += text
    },
    setAttributes,
    print(text, next) {
      setAttributes(next)
      drawing += text
    },
    get isFull() {
      return drawing.length > maxDrawingLength
    },
    drawing: () => drawing,
  }
}

const flags = [
  ['foreground', inForeground.bold, '1'],
  ['background', inBackground.dim, '2'],
  ['background', inBackground.italic, '3'],
  ['foreground', inForeground.blink, '5'],
  ['foreground', inForeground.reverse, '7'],
  ['foreground', inForeground.invisible, '8'],
  ['foreground', inForeground.struck, '9'],
  ['background', inBackground.overline, '53'],
] as const

/** Starts from a reset each time: terminals differ in how single attributes are switched off. */
export function sgrSequence(attributes: CellAttributes): string {
  const { foreground, background, extended } = attributes
  let codes = '0'
  for (const [where, flag, code] of flags) if (attributes[where] & flag) codes += `;${code}`
  if (foreground & inForeground.underline) {
    const style = (extended & underlineStyle) >>> underlineStyleShift
    codes += style > 1 ? `;4:${style}` : ';4'
  }
  codes += colourCodes(foreground, 30) + colourCodes(background, 40) + colourCodes(extended, 50)
  return `\x1b[${codes}m${background & inBackground.protected ? '\x1b[1"q' : ''}`
}

const underlineStyle = 0x1c000000
const underlineStyleShift = 26

/** `base` is 30 for text, 40 for background, 50 for the underline, which has no short form. */
function colourCodes(packed: number, base: 30 | 40 | 50): string {
  const index = packed & 0xff
  const [red, green] = [(packed >>> 16) & 0xff, (packed >>> 8) & 0xff]
  switch (packed & colour.mask) {
    case colour.sixteen:
      return `;${index < 8 ? base + index : base + 60 + index - 8}`
    case colour.indexed:
      return base === 50 ? `;58:5:${index}` : `;${base + 8};5;${index}`
    case colour.rgb:
      return base === 50 ? `;58:2::${red}:${green}:${index}` : `;${base + 8};2;${red};${green};${index}`
    default:
      return ''
  }
}
