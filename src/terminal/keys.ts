/**
 * Encodes named keys as the bytes that an xterm sends. A single character names itself (`a`, `é`), and every name may
 * have modifiers before it (`Ctrl+Alt+Left`).
 */
import { HubError } from '../base/hub-error.ts'
import type { Modes } from './screen/screen-modes.ts'

export interface EncodedKeys {
  readonly bytes: Buffer
  readonly count: number
}

/** Names separated by blanks. If one is unknown, nothing is encoded. */
export function encodeKeys(text: string, modes: Pick<Modes, 'applicationCursor'>): EncodedKeys {
  const names = text.split(/\s+/).filter((name) => name !== '')
  const encoded = names.map((name) => encodeKey(parseKey(name), modes))
  const unknown = names.filter((_, index) => encoded[index] === undefined)
  if (unknown.length > 0) throw new HubError('invalid', messageFor(unknown))
  return { bytes: Buffer.from(encoded.join('')), count: names.length }
}

interface Key {
  /** In lower case, unless it is a single character. */
  readonly name: string
  readonly shift: boolean
  readonly alt: boolean
  readonly ctrl: boolean
}

function parseKey(text: string): Key {
  const modifiers = new Set<string>()
  let name = text
  for (let match = withModifier.exec(name); match; match = withModifier.exec(name)) {
    modifiers.add(match[1]!.toLowerCase())
    name = match[2]!
  }
  return {
    name: isOneCharacter(name) ? name : name.toLowerCase(),
    shift: modifiers.has('shift'),
    alt: modifiers.has('alt'),
    ctrl: modifiers.has('ctrl'),
  }
}

const withModifier = /^(ctrl|alt|shift)\+(.+)$/i

function encodeKey(key: Key, { applicationCursor }: Pick<Modes, 'applicationCursor'>): string | undefined {
  if (isOneCharacter(key.name)) return encodeCharacter(key)
  const simple = simpleKeys.get(key.name)
  if (simple) return (key.alt ? '\x1b' : '') + simple(key)
  return encodeFunctionKey(key, applicationCursor)
}

function encodeCharacter({ name, shift, alt, ctrl }: Key): string | undefined {
  const plain = shift && !ctrl ? name.toUpperCase() : name
  const character = ctrl ? controlCharacter(name) : plain
  return character === undefined ? undefined : (alt ? '\x1b' : '') + character
}

/** The control character for Ctrl and a character; `undefined` if there is none. */
function controlCharacter(character: string): string | undefined {
  const upper = character.toUpperCase()
  if (/^[@A-Z[\\\]^_]$/.test(upper)) return String.fromCharCode(upper.charCodeAt(0) - 0x40)
  return otherControls.get(upper)
}

const otherControls = new Map([
  ['2', '\0'],
  ['3', '\x1b'],
  ['4', '\x1c'],
  ['5', '\x1d'],
  ['6', '\x1e'],
  ['7', '\x1f'],
  ['/', '\x1f'],
  ['8', '\x7f'],
  ['?', '\x7f'],
])

/** Keys for which Shift and Ctrl change little or nothing, as in xterm. */
const simpleKeys = new Map<string, (key: Key) => string>([
  ['enter', () => '\r'],
  ['return', () => '\r'],
  ['tab', ({ shift }) => (shift ? '\x1b[Z' : '\t')],
  ['escape', () => '\x1b'],
  ['esc', () => '\x1b'],
  ['backspace', ({ ctrl }) => (ctrl ? '\b' : '\x7f')],
  ['space', ({ ctrl }) => (ctrl ? '\0' : ' ')],
])

/** `CSI 1 ; modifiers letter` */
const letterKeys = new Map<string, string>([
  ['up', 'A'],
  ['down', 'B'],
  ['right', 'C'],
  ['left', 'D'],
  ['home', 'H'],
  ['end', 'F'],
  ['f1', 'P'],
  ['f2', 'Q'],
  ['f3', 'R'],
  ['f4', 'S'],
])

/** `CSI number ; modifiers ~` */
const numberKeys = new Map<string, number>([
  ['insert', 2],
  ['delete', 3],
  ['pageup', 5],
  ['page_up', 5],
  ['pagedown', 6],
  ['page_down', 6],
  ['f5', 15],
  ['f6', 17],
  ['f7', 18],
  ['f8', 19],
  ['f9', 20],
  ['f10', 21],
  ['f11', 23],
  ['f12', 24],
])

function encodeFunctionKey(key: Key, applicationCursor: boolean): string | undefined {
  // Such terminals have twelve function keys. F13 to F24 are F1 to F12 with Shift.
  const [, upper] = /^f(1[3-9]|2[0-4])$/.exec(key.name) ?? []
  if (upper !== undefined)
    return encodeFunctionKey({ ...key, name: `f${Number(upper) - 12}`, shift: true }, applicationCursor)

  const modifiers = 1 + (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.ctrl ? 4 : 0)
  const number = numberKeys.get(key.name)
  if (number !== undefined) return modifiers > 1 ? `\x1b[${number};${modifiers}~` : `\x1b[${number}~`
  const letter = letterKeys.get(key.name)
  if (letter === undefined) return undefined
  if (modifiers > 1) return `\x1b[1;${modifiers}${letter}`
  const isFunctionKey = key.name.startsWith('f')
  return isFunctionKey || applicationCursor ? `\x1bO${letter}` : `\x1b[${letter}`
}

/** Counts as a person does: an emoji of several code points is one character. */
function isOneCharacter(text: string): boolean {
  if (isAscii.test(text)) return text.length === 1
  segmenter ??= new Intl.Segmenter()
  return [...segmenter.segment(text)].length === 1
}

const isAscii = /^[!-~]*$/

/** Created on first use, because that takes a twentieth of the hub's start. */
let segmenter: Intl.Segmenter | undefined

function messageFor(unknown: readonly string[]): string {
  const names = unknown
    .slice(0, 5)
    .map((name) => JSON.stringify(name.slice(0, 40)))
    .join(', ')
  return (
    `Nothing was sent: there is no key ${names}. Use ${knownNames}, F1 to F24 and single characters, ` +
    'with Ctrl+, Alt+ or Shift+ before them where a keyboard has that. To send text, use send_text.'
  )
}

const knownNames =
  'Enter, Return, Tab, Escape, Esc, Backspace, Space, Up, Down, Left, Right, Home, End, PageUp, Page_Up, PageDown, ' +
  'Page_Down, Insert, Delete'
