import { getSystemErrorMessage } from 'node:util'
import { messageOf } from '../base/hub-error.ts'

/** What the system says is wrong, without the call and the path: "no space left on device". */
export function reasonOf(error: unknown): string {
  const isOfSystem = error instanceof Error && 'errno' in error && typeof error.errno === 'number'
  return isOfSystem ? getSystemErrorMessage(error.errno as number) : messageOf(error)
}
