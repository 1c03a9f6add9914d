/** A spinner on stderr, with the seconds since it started. It shows nothing if stderr is not a terminal. */
export interface Spinner extends Disposable {
  /** Removes it from its line before something else is printed. It comes back after a moment. */
  clear(): void
}

const turns = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const everyMs = 120
const quietMs = 700

export function startSpinner(label: string, stderr: NodeJS.WriteStream = process.stderr): Spinner {
  if (!stderr.isTTY) return { clear() {}, [Symbol.dispose]() {} }
  const startedAt = Date.now()
  let turn = 0
  let isShown = false
  let quietUntil = 0

  function clear(): void {
    quietUntil = Date.now() + quietMs
    if (isShown) stderr.write('\r\u001b[K')
    isShown = false
  }

  const timer = setInterval(() => {
    if (Date.now() < quietUntil) return
    isShown = true
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    stderr.write(`\r\u001b[K${turns[turn++ % turns.length]} ${label} ${seconds}s`)
  }, everyMs)
  return {
    clear,
    [Symbol.dispose]() {
      clearInterval(timer)
      clear()
    },
  }
}
