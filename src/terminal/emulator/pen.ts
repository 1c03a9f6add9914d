/** A pen that writes escape sequences, and says what ink it has only when that changes. */
import type { Ink } from './cells.ts'
import { colour, inBackground, inForeground, plainInk } from './cells.ts'
import type { Links } from './links.ts'

export interface Pen {
  /** As it is: sequences that neither print nor touch the ink. */
  put(sequence: string): void
  print(text: string, ink: Ink): void
  /** Whether that took a sequence. */
  take(ink: Ink): boolean
  drawing(): string
}

export function createPen(links: Links): Pen {
  let drawing = ''
  let ink = plainInk
  let sequence = inkSequence(ink)

  function take(next: Ink): boolean {
    if (next === ink) return false
    const nextSequence = inkSequence(next)
    const isOther = nextSequence !== sequence
    const isOtherLink = next.linkId !== ink.linkId
    if (isOther) drawing += nextSequence
    if (isOtherLink) {
      const { parameters = '', url = '' } = links.get(next.linkId) ?? {}
      drawing += `\x1b]8;${parameters};${url}\x1b\\`
    }
    ink = next
    sequence = nextSequence
    return isOther || isOtherLink
  }

  return {
    put(text) {
      drawing += text
    },
    take,
    print(text, next) {
      take(next)
      drawing += text
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

/** From scratch each time: what is taken off again differs from terminal to terminal. */
export function inkSequence(ink: Ink): string {
  const { foreground, background, extended } = ink
  let codes = '0'
  for (const [where, flag, code] of flags) if (ink[where] & flag) codes += `;${code}`
  if (foreground & inForeground.underline) {
    const style = (extended & underlineStyle) >>> underlineStyleShift
    codes += style > 1 ? `;4:${style}` : ';4'
  }
  codes += colourCodes(foreground, 30) + colourCodes(background, 40) + colourCodes(extended, 50)
  return `\x1b[${codes}m${background & inBackground.protected ? '\x1b[1"q' : ''}`
}

const underlineStyle = 0x1c000000
const underlineStyleShift = 26

/** `base` is 30 for text, 40 for ground, 50 for the underline, which has no short form. */
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
