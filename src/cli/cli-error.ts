import type { Exit } from './exit-codes.ts'

/** A failure with an exit code of its own. The message is a sentence that says what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exit: Exit

  constructor(exit: Exit, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.exit = exit
  }
}
