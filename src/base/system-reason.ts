import { getSystemErrorMessage } from 'node:util'
import { messageOf } from './hub-error.ts'

/** The message of a system error without the code, the system call and the path: "no space left on device". */
export function systemReason(error: unknown): string {
  return isSystemError(error) ? getSystemErrorMessage(error.errno) : messageOf(error)
}

/** Errors of zlib have an `errno` too, which is not a number of the system. */
export function isSystemError(error: unknown): error is Error & { readonly errno: number } {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number' && 'syscall' in error
}
