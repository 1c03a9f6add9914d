/**
 * Encodes a paste: bracketed if the program asked for it, with lines that end with a carriage return, as Enter does.
 */
import type { Modes } from './screen/screen-modes.ts'

export function encodePaste(text: string, { bracketedPaste }: Pick<Modes, 'bracketedPaste'>): Buffer {
  const typed = text.replaceAll(/\r?\n/g, '\r')
  return Buffer.from(bracketedPaste ? `\x1b[200~${withoutBrackets(typed)}\x1b[201~` : typed)
}

/** Otherwise the text could end the paste itself, and the program would read the rest as typed. */
function withoutBrackets(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\x9b+(?=20[01]~)/g, '').replaceAll(/\x1b+(?=\[20[01]~)/g, '')
}
