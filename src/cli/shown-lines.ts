import { shownText } from './shown-text.ts'

/** The same for a text of several lines, which stay. */
export function shownLines(text: string): string {
  return text.split('\n').map(shownText).join('\n')
}
