import type { Exit } from './exit-codes.ts'

/**
 * A failure with its own exit code. The message is a sentence of ours that says what to do next. If it quotes another
 * program, the quotation is redacted before (`redactForeign`): of a whole message only known secrets are hidden.
 */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exit: Exit

  constructor(exit: Exit, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.exit = exit
  }
}
