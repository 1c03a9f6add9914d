/** A program in tmux, followed in control mode: the obvious alternative to build on. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface TmuxPane extends AsyncDisposable {
  type(bytes: Buffer): void
  /** The output of its program as it arrives, still escaped. */
  onOutput(listener: (escaped: string) => void): void
  /** The answer to a command, line by line. */
  ask(command: string): Promise<readonly string[]>
}

/** `undefined`: it is not installed. */
export function tmuxVersion(): string | undefined {
  try {
    return execFileSync('tmux', ['-V'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

let count = 0

export async function openPane(command: string, { historyLines = 2_000 } = {}): Promise<TmuxPane> {
  const server = ['-L', `signalbox-bench-${process.pid}-${count++}`, '-f', '/dev/null']
  const options = ['set', '-g', 'history-limit', String(historyLines), ';', 'set', '-g', 'remain-on-exit', 'on', ';']
  // The history limit applies only to sessions created after it was set, so the second session is measured.
  const start = ['new-session', '-d', '-x', '120', '-y', '40', 'cat', ';', ...options]
  const own = ['new-session', '-d', '-s', 'bench', '-x', '120', '-y', '40', command]
  execFileSync('tmux', [...server, ...start, ...own])
  const control: ChildProcess = spawn('tmux', [...server, '-C', 'attach', '-t', 'bench'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const listeners: ((escaped: string) => void)[] = []
  const waiting: ((lines: readonly string[]) => void)[] = []
  let answer: string[] | undefined
  const attached = Promise.withResolvers<void>()

  createInterface({ input: control.stdout! }).on('line', (line) => {
    if (line.startsWith('%output ')) {
      const escaped = line.slice(line.indexOf(' ', 8) + 1)
      for (const listener of listeners) listener(escaped)
    } else if (line.startsWith('%begin ')) answer = []
    else if (line.startsWith('%end ') || line.startsWith('%error ')) {
      if (answer) waiting.shift()?.(answer)
      answer = undefined
      attached.resolve()
    } else answer?.push(line)
  })
  await attached.promise

  const ask = (question: string): Promise<readonly string[]> =>
    new Promise((resolve) => {
      waiting.push(resolve)
      control.stdin!.write(`${question}\n`)
    })
  return {
    type: (bytes) => void ask(`send-keys -t bench -H ${bytes.toString('hex').match(/../g)!.join(' ')}`),
    onOutput: (listener) => void listeners.push(listener),
    ask,
    async [Symbol.asyncDispose]() {
      control.kill()
      execFileSync('tmux', [...server, 'kill-server'])
    },
  }
}

/** An escape such as `\015` counts as one byte. */
export function lengthOf(escaped: string): number {
  let length = Buffer.byteLength(escaped)
  for (let at = escaped.indexOf('\\'); at >= 0; at = escaped.indexOf('\\', at + 4)) length -= 3
  return length
}
