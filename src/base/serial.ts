/** Runs tasks one after another, in the order they were given. A task that fails does not stop the next. */
export type Serial = <Result>(task: () => Promise<Result>) => Promise<Result>

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const run = last.then(task, task)
    last = run.catch(() => {})
    return run
  }
}
