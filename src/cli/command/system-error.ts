import { HubError, messageOf } from '../../base/hub-error.ts'
import { isSystemError, systemReason } from '../../base/system-reason.ts'
import { CliError } from './cli-error.ts'
import { redactForeign } from './redactor.ts'

/** Why something failed, for a sentence of ours. The words of other programs are redacted; our own are not. */
export function reasonOf(error: unknown): string {
  const isOurs = error instanceof CliError || error instanceof HubError || isSystemError(error)
  return isOurs ? systemReason(error) : redactForeign(messageOf(error))
}
