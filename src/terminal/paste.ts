/** Text as it is, in the brackets the program asked for, if it did; a line ends as with Enter. */
import type { Modes } from './screen.ts'

export function encodePaste(text: string, { bracketedPaste }: Pick<Modes, 'bracketedPaste'>): Buffer {
  const typed = text.replaceAll(/\r?\n/g, '\r')
  return Buffer.from(bracketedPaste ? `\x1b[200~${withoutBrackets(typed)}\x1b[201~` : typed)
}

/** Or the text could end the paste by itself, and the rest of it would be taken for typed. */
function withoutBrackets(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\x9b+(?=20[01]~)/g, '').replaceAll(/\x1b+(?=\[20[01]~)/g, '')
}
