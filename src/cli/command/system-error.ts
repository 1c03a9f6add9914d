import { getSystemErrorMessage } from 'node:util'
import { messageOf } from '../../base/hub-error.ts'

/** The message of a system error without the system call and the path: "no space left on device". */
export function reasonOf(error: unknown): string {
  const isSystemError = error instanceof Error && 'errno' in error && typeof error.errno === 'number'
  return isSystemError ? getSystemErrorMessage(error.errno as number) : messageOf(error)
}
