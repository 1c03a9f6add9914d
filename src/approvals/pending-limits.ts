/** Limits how much one session may have pending, so that it cannot bury the requests of other sessions. */
import { HubError } from '../base/hub-error.ts'

const mostPending = 100
/** Equal calls wait for one approval. So do calls that a client repeats while it is away. */
const mostHeld = 2 * mostPending
const mostHeldBytes = 32 * 1024 * 1024
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

export interface HeldCalls {
  readonly count: number
  /** Of their arguments. */
  readonly bytes: number
}

/** `held`: the calls of the session that wait at this hub. */
export function assertFewHeld({ count, bytes }: HeldCalls): void {
  if (count < mostHeld && bytes < mostHeldBytes) return
  throw new HubError(
    'busy',
    `${count} calls of this session wait for a person already, some of them for the same approval, with ${bytes} bytes of ` +
      `arguments: the most are ${mostHeld} calls or ${mostHeldBytes} bytes. This one has not run. Make it again when some are answered.`,
  )
}
