/**
 * The person's own terminal while something is played on it: raw, on its alternate screen, so that what stands above
 * stays, and put back as it was on every way out of the program.
 */
import type { TerminalSize } from '../../api/session.ts'
import { CliError } from '../cli-error.ts'
import { emptyScreen, plainModes } from '../output-filter.ts'

export interface OwnTerminal extends Disposable {
  readonly size: TerminalSize
  write(text: string): void
  /** Called first on the way out, to take back what was done to the terminal beyond its modes. */
  onLeave(undo: () => void): void
}

export interface OwnTerminalListeners {
  onInput(bytes: Buffer): void
  onResize?(): void
  /** It is gone: its window was closed. */
  onHangUp(): void
}

/** The terminal itself remembers its title, and whether its wheel types arrow keys. */
const enter = `\x1b[22;2t\x1b[?1007s\x1b[?1049h${emptyScreen}`
const leave = `${plainModes}\x1b[?1049l\x1b[?1007r\x1b[23;2t`

/** For those who do something else before they open it, and would have to take it back. */
export function assertOwnTerminal(what: string): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return
  throw new CliError('usage', `${what} needs a terminal for input and output, and this is a pipe or a file.`)
}

export function openOwnTerminal(what: string, listeners: OwnTerminalListeners): OwnTerminal {
  assertOwnTerminal(what)
  const { stdin, stdout } = process
  const undoings: (() => void)[] = []
  let isOpen = true

  /** Writing to a terminal is synchronous, so this is good as the last thing a process does. */
  function putBack(): void {
    if (!isOpen) return
    for (const undo of undoings) undo()
    isOpen = false
    for (const [signal, onSignal] of signals) process.off(signal, onSignal)
    process.off('exit', putBack)
    stdin.off('data', onInput).off('end', onHangUp).off('error', onHangUp).pause()
    stdout.off('resize', onResize)
    try {
      stdout.write(leave)
      stdin.setRawMode(false)
    } catch {
      // A terminal that is gone needs nothing put back.
    }
  }
  const { onInput, onHangUp } = listeners
  const onResize = (): void => listeners.onResize?.()
  const signals = (['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map((signal) => {
    const onSignal = (): void => {
      putBack()
      process.exit(128 + signalNumbers[signal])
    }
    return [signal, onSignal] as const
  })

  for (const [signal, onSignal] of signals) process.on(signal, onSignal)
  process.on('exit', putBack)
  stdin.setRawMode(true)
  stdin.on('data', onInput).on('end', onHangUp).on('error', onHangUp).resume()
  stdout.on('resize', onResize)
  stdout.write(enter)
  return {
    get size() {
      return { cols: stdout.columns, rows: stdout.rows }
    },
    write(text) {
      if (isOpen) stdout.write(text)
    },
    onLeave: (undo) => void undoings.push(undo),
    [Symbol.dispose]: putBack,
  }
}

const signalNumbers = { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 } as const
