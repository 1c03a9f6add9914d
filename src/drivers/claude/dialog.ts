/**
 * Notices on the screen that a person has said yes in the dialog of a tool: the dialog is gone, and Claude Code works.
 * Its hook does not tell, and the tool may run for an hour.
 */
import type { Terminal } from '../../terminal/terminal.ts'

const lookEveryMs = 300
/** A screen that is being drawn may miss the dialog for a moment. */
const goneForMs = 1_000
const dialog = /Esc to cancel/
const working = /^[\u25D0-\u25D3\u2800-\u28FF] /

/** Returns a function that stops watching. */
export function watchDialog(terminal: Pick<Terminal, 'screen'>, onAnswered: () => void): () => void {
  let wasShown = false
  let goneSince: number | undefined
  const timer = setInterval(() => {
    const isShown = dialog.test(terminal.screen.text())
    wasShown ||= isShown
    if (!wasShown || isShown || !working.test(terminal.screen.title)) {
      goneSince = undefined
      return
    }
    goneSince ??= performance.now()
    if (performance.now() - goneSince < goneForMs) return
    clearInterval(timer)
    onAnswered()
  }, lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
