/** Clients time out on a call that stays silent. Most of them extend the timeout on progress. */
import type { Call } from '../mcp/mcp.ts'

const everySeconds = 10

/** Reports progress until it is disposed of. Does nothing for callers that did not ask for progress. */
export function keepAlive(call: Call): Disposable {
  let seconds = 0
  const timer = setInterval(() => call.progress({ progress: (seconds += everySeconds) }), everySeconds * 1000).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
