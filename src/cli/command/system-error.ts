import { getSystemErrorMessage } from 'node:util'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { CliError } from './cli-error.ts'
import { redactForeign } from './redactor.ts'

/**
 * Why something failed, for a sentence of ours. A system error is named without the system call and the path: "no space
 * left on device". The words of other programs are redacted; our own are not.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof CliError || error instanceof HubError) return error.message
  const isSystemError = error instanceof Error && 'errno' in error && typeof error.errno === 'number'
  return isSystemError ? getSystemErrorMessage(error.errno as number) : redactForeign(messageOf(error))
}
