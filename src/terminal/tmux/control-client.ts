/** A tmux client in control mode: commands go in by its standard input, where no process list shows them. */
import { spawn } from 'node:child_process'
import type { TmuxAccess } from './access.ts'
import type { ControlAnswer } from './control-reader.ts'
import { createControlReader } from './control-reader.ts'

export interface ControlClient {
  /**
   * `onAnswer` is called before anything is told that came after the answer. A client that is closed answers nothing
   * more; an error is told, too.
   */
  ask(command: string, onAnswer?: (answer: ControlAnswer) => void): void
  /** The lines of the answer. Throws what tmux says is wrong. */
  run(command: string): Promise<readonly string[]>
  /** What was asked is done, then it leaves. */
  close(): void
}

export interface ControlListeners {
  onOutput(pane: string, bytes: Buffer): void
  /** Something about sessions, windows or panes has changed. */
  onNotice(): void
  /** It was detached, or its server is gone. */
  onClose(): void
}

/** `command` attaches it: `new-session …`, `attach-session …`. Throws what tmux says is wrong with that. */
export async function openControlClient(
  { program, env }: TmuxAccess,
  command: readonly string[],
  listeners: ControlListeners,
): Promise<ControlClient> {
  const { promise: attached, resolve, reject } = Promise.withResolvers<void>()
  const waiting: ((answer: ControlAnswer) => void)[] = []
  let isAttached = false
  let isClosed = false
  let complaint = ''

  const client = spawn(program, ['-u', '-C', ...command], { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  const read = createControlReader({
    ...listeners,
    onAnswer(answer, isOwn) {
      if (isOwn) return waiting.shift()?.(answer)
      if (answer.isError) return reject(new Error(textOf(answer)))
      isAttached = true
      resolve()
    },
  })
  client.stdout.on('data', read)
  client.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-1_000)))
  client.stdin.on('error', () => {})
  client.on('error', onEnd)
  client.on('close', () => onEnd(new Error(complaint.trim() || 'tmux ended before it had begun')))

  function onEnd(error: Error): void {
    if (isClosed) return
    isClosed = true
    reject(error)
    const gone = { isError: true, lines: [Buffer.from('the tmux client is gone')] }
    for (const tell of waiting.splice(0)) tell(gone)
    if (isAttached) listeners.onClose()
  }

  function ask(line: string, onAnswer: (answer: ControlAnswer) => void = () => {}): void {
    if (isClosed) return onAnswer({ isError: true, lines: [Buffer.from('the tmux client is gone')] })
    waiting.push(onAnswer)
    client.stdin.write(`${line}\n`)
  }

  await attached
  return {
    ask,
    run: (line) =>
      new Promise((done, fail) => {
        ask(line, (answer) => {
          if (answer.isError) fail(new Error(textOf(answer)))
          else done(answer.lines.map((each) => each.toString()))
        })
      }),
    close: () => client.stdin.end(),
  }
}

function textOf({ lines }: ControlAnswer): string {
  return lines.map((line) => line.toString()).join(' ')
}
