/**
 * The colours of a terminal: 256 by number, and those of text, background and cursor. A program may query and change
 * them (OSC 4, 10 to 12, 104, 110 to 112). The defaults are those of xterm.js, so that the page shows the same.
 */
import { numberedColours } from '../../api/terminal-colours.ts'
import type { Emulator } from './emulator.ts'

export interface Palette {
  /** `#rrggbb` */
  indexed(index: number): string
  readonly foreground: string
  readonly background: string
  readonly cursor: string
  /** The program's changes, as the sequences that make them. */
  changes(): string
}

/** The OSC number of each colour, and its default. */
const special = { foreground: [10, '#ffffff'], background: [11, '#000000'], cursor: [12, '#ffffff'] } as const

/** A sequence may list many colours, but there are no more than these. */
const maxSlots = 2 * 256

export function followPalette({ parser, answer }: Emulator): Palette {
  const changed = new Map<string, string>()
  const indexed = (index: number): string => changed.get(`4;${index}`) ?? defaultColours[index] ?? '#000000'
  const named = (name: keyof typeof special): string => changed.get(`${special[name][0]}`) ?? special[name][1]

  /** `place` is the part of the sequence before the colour. */
  function setOrAnswer(place: string, colour: string, present: string): void {
    if (colour === '?') answer(`\x1b]${place};${asAnswer(present)}\x1b\\`)
    const parsed = parseColour(colour)
    if (parsed) changed.set(place, parsed)
  }

  parser.registerOscHandler(4, (data) => {
    const slots = data.split(';', maxSlots)
    for (let at = 0; at + 1 < slots.length; at += 2) {
      const index = indexIn(slots[at]!)
      if (index !== undefined) setOrAnswer(`4;${index}`, slots[at + 1]!, indexed(index))
    }
    return true
  })
  parser.registerOscHandler(104, (data) => {
    for (const index of data === '' ? defaultColours.keys() : data.split(';', maxSlots).map(indexIn))
      changed.delete(`4;${index}`)
    return true
  })
  const names = Object.keys(special) as (keyof typeof special)[]
  for (const [first, name] of names.entries()) {
    const [number] = special[name]
    parser.registerOscHandler(number, (data) => {
      // A sequence with several colours sets this one and those with the next numbers.
      for (const [offset, colour] of data.split(';', names.length - first).entries()) {
        const each = names[first + offset]!
        setOrAnswer(`${special[each][0]}`, colour, named(each))
      }
      return true
    })
    parser.registerOscHandler(100 + number, () => {
      changed.delete(`${number}`)
      return true
    })
  }

  return {
    indexed,
    get foreground() {
      return named('foreground')
    },
    get background() {
      return named('background')
    },
    get cursor() {
      return named('cursor')
    },
    changes: () => [...changed].map(([place, colour]) => `\x1b]${place};${colour}\x1b\\`).join(''),
  }
}

const defaultColours: readonly string[] = [
  ...numberedColours,
  ...Array.from({ length: 216 }, (_, index) =>
    hex(
      [Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((level) =>
        level === 0 ? 0 : 55 + 40 * level,
      ),
    ),
  ),
  ...Array.from({ length: 24 }, (_, index) => hex([8 + 10 * index, 8 + 10 * index, 8 + 10 * index])),
]

function hex(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function indexIn(slot: string): number | undefined {
  return /^\d{1,3}$/.test(slot) && Number(slot) < 256 ? Number(slot) : undefined
}

/** `#rgb`, `#rrggbb` and longer, `rgb:r/g/b` with one to four digits each. */
export function parseColour(text: string): string | undefined {
  const [, ...spaced] = /^rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})$/i.exec(text) ?? []
  if (spaced.length === 3)
    return hex(spaced.map((digits) => Math.round((parseInt(digits, 16) / (16 ** digits.length - 1)) * 255)))
  const [, packed] = /^#((?:[\da-f]{3}){1,4})$/i.exec(text) ?? []
  if (packed === undefined) return undefined
  const digits = packed.length / 3
  return hex(
    [0, 1, 2].map((at) =>
      parseInt(
        packed
          .slice(at * digits, (at + 1) * digits)
          .padEnd(2, '0')
          .slice(0, 2),
        16,
      ),
    ),
  )
}

/** An answer has sixteen bits for each channel: `rgb:ffff/0000/8080`. */
function asAnswer(colour: string): string {
  return `rgb:${[1, 3, 5].map((at) => colour.slice(at, at + 2).repeat(2)).join('/')}`
}
