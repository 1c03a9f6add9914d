/** Clients time out on a silent call. Most of them accept a progress message as a heartbeat. */
import type { HeldCall } from '../api/approval.ts'

/** Sends progress at once, and then at each interval until it is disposed. */
export function startHeartbeat(call: Pick<HeldCall, 'progress'>, everyMs: number, message?: string): Disposable {
  let steps = 0
  const show = () => call.progress({ progress: steps++, ...(message !== undefined && { message }) })
  show()
  const timer = setInterval(show, everyMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
