/** Clients give up on a call they hear nothing of; most take progress for a sign of life. */
import type { Call } from '../mcp/mcp.ts'

const everySeconds = 10

/** Until it is disposed of. Does nothing for callers that did not ask to be told. */
export function keepAlive(call: Call): Disposable {
  let seconds = 0
  const timer = setInterval(() => call.progress({ progress: (seconds += everySeconds) }), everySeconds * 1000).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
