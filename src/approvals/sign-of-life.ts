/** Clients give up on a call they hear nothing of; most take progress for a sign of life. */
export interface Listening {
  /** Does nothing for callers that did not ask to be told. */
  progress(step: { progress: number; message?: string }): void
}

/** At once, and then again and again until it is disposed of. */
export function showLife(call: Listening, everyMs: number, message?: string): Disposable {
  let steps = 0
  const show = () => call.progress({ progress: steps++, ...(message !== undefined && { message }) })
  show()
  const timer = setInterval(show, everyMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
