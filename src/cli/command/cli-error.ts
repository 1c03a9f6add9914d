import type { Exit } from './exit-codes.ts'

/**
 * A failure with its own exit code. The message is a sentence that says what to do next. An error whose message quotes
 * another program has a cause. It is redacted as foreign text; in our own sentences only known secrets are replaced.
 */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exit: Exit

  constructor(exit: Exit, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.exit = exit
  }
}
