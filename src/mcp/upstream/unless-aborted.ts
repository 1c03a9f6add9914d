/** What the work comes to, or the signal's reason if that comes first. The work goes on; nobody waits for it any more. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
