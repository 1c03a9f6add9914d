import type { Terminal } from '../../terminal/terminal.ts'

const maxLines = 20

/** The lowest lines of the screen, shown with the message that typing did not work. */
export function screenTail(terminal: Terminal): string {
  const lines = terminal.screen.text().split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .slice(-maxLines)
    .join('\n')
}
