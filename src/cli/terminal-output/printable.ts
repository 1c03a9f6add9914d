/**
 * Escapes everything that the CLI prints as text. Names, reasons and results come from agents and upstreams, so only line
 * ends, tabs and our own colours reach the terminal. Commands that must write bytes unchanged use `write`.
 */
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** A random placeholder for the escape character of our own colours. Foreign text cannot contain it. */
let colourEscape: string | undefined

/** The caller has decided whether to use colours, so `styleText` must not check its own stream. */
export function paint(style: Style, text: string): string {
  colourEscape ??= process.getBuiltinModule('node:crypto').randomUUID()
  return styleText(style, text, { validateStream: false }).replaceAll('\x1b', colourEscape)
}

/** Replaces control characters by their JSON escapes, so that printed JSON keeps its value. */
export function printable(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').replaceAll(controls, escaped)
  return colourEscape === undefined ? lines : lines.replaceAll(colourEscape, '\x1b')
}

/** Also escapes line ends and tabs, for text that has to stay on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll(/[\n\t]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** C0 and C1 except line feed and tab, DEL, and characters that change the reading order. */
const controls = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu
