/** A progress bar on stderr. It shows nothing if stderr is not a terminal. */
export interface ProgressBar extends Disposable {
  show(done: number, total: number): void
}

const width = 30

export function createProgressBar(label: string, stderr: NodeJS.WriteStream = process.stderr): ProgressBar {
  let isShown = false
  return {
    show(done, total) {
      if (!stderr.isTTY || total <= 0) return
      isShown = true
      const filled = Math.round((Math.min(done, total) / total) * width)
      stderr.write(`\r\u001b[K${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done} of ${total}`)
    },
    [Symbol.dispose]() {
      if (isShown) stderr.write('\r\u001b[K')
    },
  }
}
