/**
 * Notices on the screen that a person has said yes in the dialog of a tool: the dialog is gone, and Claude Code works.
 * Its hook does not say so, and the tool may run for an hour.
 */
import type { Terminal } from '../../terminal/terminal.ts'

const lookEveryMs = 300
/** A screen that is being drawn may miss the dialog for a moment. */
const goneForMs = 1_000
const dialog = /Esc to cancel/
const working = /^[\u25D0-\u25D3\u2800-\u28FF] /

/** The title of the terminal says so. A turn that waits for an answer in a dialog does not count as working. */
export function isWorking({ screen }: Pick<Terminal, 'screen'>): boolean {
  return working.test(screen.title)
}

/** Whether Claude Code asks about any tool. */
export function asksAboutTool(terminal: Pick<Terminal, 'screen'>): boolean {
  return /^ Do you want to [^\n]*\?\n ❯ 1\. Yes/m.test(terminal.screen.text())
}

/**
 * Whether the screen shows the dialog for exactly this call. A process of the agent can send the same messages as a
 * hook, so the dialog must show the whole command and nothing else. Other dialogs do not show the whole judged call, so
 * a person answers them.
 */
export function showsDialog(
  terminal: Pick<Terminal, 'screen'>,
  { command }: Readonly<Record<string, unknown>>,
): boolean {
  const [, shown] = framed.exec(terminal.screen.text()) ?? []
  // A long command is wrapped.
  return shown !== undefined && typeof command === 'string' && packed(shown) === packed(command)
}

/**
 * The lowest dialog on the screen. A note of a hook may be below its frame, but not another frame, which would be part
 * of a command.
 */
const framed =
  /\n Bash command\n(?![\s\S]*\n Bash command\n)[\s\S]*?\n╌+\n([\s\S]*?)\n╌+\n[^╌]*? Do you want to proceed\?\n[\s\S]*Esc to cancel/

function packed(text: string): string {
  return text.replaceAll(/\s/g, '')
}

/** The keys that answer the dialog. */
export const dialogKeys = { yes: '1', no: '\u001b' } as const

/** Returns a function that stops watching. */
export function watchDialog(terminal: Pick<Terminal, 'screen' | 'onChange'>, onAnswered: () => void): () => void {
  let wasShown = false
  let goneSince: number | undefined

  function look(): boolean {
    const isShown = dialog.test(terminal.screen.text())
    wasShown ||= isShown
    return isShown
  }

  // A dialog that is answered at once shows only for a moment.
  const stopListening = terminal.onChange(look)
  const timer = setInterval(() => {
    const isShown = look()
    if (!wasShown || isShown || !isWorking(terminal)) {
      goneSince = undefined
      return
    }
    goneSince ??= performance.now()
    if (performance.now() - goneSince < goneForMs) return
    stop()
    onAnswered()
  }, lookEveryMs)
  timer.unref()

  function stop(): void {
    clearInterval(timer)
    stopListening()
  }

  return stop
}
