/**
 * The person's own terminal in raw mode and on the alternate screen, which keeps their scrollback. It is restored on every
 * way out of the program.
 */
import type { TerminalSize } from '../../api/session.ts'
import { CliError } from '../command/cli-error.ts'
import { emptyScreen, plainModes } from './output-filter.ts'

export interface RawTerminal extends Disposable {
  readonly size: TerminalSize
  write(text: string): void
  /** Called before the terminal is restored, to undo changes that resetting modes does not. */
  onLeave(undo: () => void): void
}

export interface RawTerminalListeners {
  onInput(bytes: Buffer): void
  onResize?(): void
  /** The window was closed. */
  onHangUp(): void
}

/** The terminal itself saves and restores its title, and whether its wheel sends arrow keys. */
const enter = `\x1b[22;2t\x1b[?1007s\x1b[?1049h${emptyScreen}`
const leave = `${plainModes}\x1b[?1049l\x1b[?1007r\x1b[23;2t`

/** For commands that change something before they open the terminal, and would have to undo it. */
export function assertIsTerminal(command: string): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return
  throw new CliError(
    'usage',
    `${command} needs a terminal for input and output, but this is a pipe or a file. Use "signalbox screen" or "signalbox logs".`,
  )
}

export function openRawTerminal(command: string, listeners: RawTerminalListeners): RawTerminal {
  assertIsTerminal(command)
  const { stdin, stdout } = process
  const undoCallbacks: (() => void)[] = []
  let isOpen = true

  /** Works in an exit handler too, because writes to a terminal are synchronous. */
  function restore(): void {
    if (!isOpen) return
    for (const undo of undoCallbacks) undo()
    isOpen = false
    for (const [signal, onSignal] of signals) process.off(signal, onSignal)
    process.off('exit', restore)
    stdin.off('data', onInput).off('end', onHangUp).off('error', onHangUp).pause()
    stdout.off('resize', onResize)
    try {
      stdout.write(leave)
      stdin.setRawMode(false)
    } catch {
      // A closed terminal needs no restoring.
    }
  }
  const { onInput, onHangUp } = listeners
  const onResize = (): void => listeners.onResize?.()
  const signals = (['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map((signal) => {
    const onSignal = (): void => {
      restore()
      process.exit(128 + signalNumbers[signal])
    }
    return [signal, onSignal] as const
  })

  for (const [signal, onSignal] of signals) process.on(signal, onSignal)
  process.on('exit', restore)
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
    onLeave: (undo) => void undoCallbacks.push(undo),
    [Symbol.dispose]: restore,
  }
}

const signalNumbers = { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 } as const
