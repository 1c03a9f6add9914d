import type { Exit } from './exit-codes.ts'

/**
 * A failure with its own exit code. The message is a sentence of ours that says what to do next. A quotation of another
 * program must be redacted first (`redactForeign`), because only known secrets are hidden in the whole message.
 */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exit: Exit

  constructor(exit: Exit, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.exit = exit
  }
}
