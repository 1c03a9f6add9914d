/** Limits how much one session may have pending, so that it cannot bury the requests of other sessions. */
import { HubError } from '../base/hub-error.ts'

const mostPending = 100
/** Size of the arguments. A single call may exceed it, up to the limit for a request. */
const mostPendingBytes = 16 * 1024 * 1024
const longestName = 1_000

export function assertBelowLimits(tool: string, pending: { readonly count: number; readonly bytes: number }): void {
  if (tool.length > longestName) {
    throw new HubError(
      'invalid',
      `The name of the tool or method has ${tool.length} characters, and a person is asked about at most ${longestName}.`,
    )
  }
  if (pending.count < mostPending && pending.bytes < mostPendingBytes) return
  throw new HubError(
    'busy',
    `${pending.count} calls of this session wait for a person already, with ${pending.bytes} bytes of arguments: the most are ` +
      `${mostPending} calls or ${mostPendingBytes} bytes. This one was not asked for and has not run. Make it again when some are answered.`,
  )
}
