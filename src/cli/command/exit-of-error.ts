/** The exit code of a command that failed. */
import type { HubErrorCode } from '../../base/hub-error.ts'
import { HubError } from '../../base/hub-error.ts'
import { CliError } from './cli-error.ts'
import type { Exit } from './exit-codes.ts'

const exitOfHubError: Readonly<Record<HubErrorCode, Exit>> = {
  invalid: 'usage',
  unauthorized: 'unauthorized',
  forbidden: 'unauthorized',
  'not-found': 'failed',
  conflict: 'failed',
  'too-large': 'failed',
  busy: 'failed',
  unavailable: 'failed',
}

export function exitOf(error: unknown): Exit {
  if (error instanceof CliError) return error.exit
  if (error instanceof HubError) return exitOfHubError[error.code]
  return 'failed'
}
