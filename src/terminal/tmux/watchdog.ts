/**
 * The watchdog: a shell between tmux and the program. tmux closes a pane as soon as its process ends, and loses output
 * that the kernel has not delivered yet, the tail of many a short command. So the process that tmux waits for stays
 * until all output was read. It reports in the output itself, with a sequence that no terminal knows, when the program
 * started and how it ended. Everything before that sequence is the complete output of the program.
 */
import { constants } from 'node:os'

export interface WatchedProgram {
  readonly file: string
  readonly args: readonly string[]
  /** Variables of the tmux server that do not belong to the session. */
  readonly dropped: readonly string[]
  /** A secret that marks the watchdog's sequences: a program that knew it could end the session with a text. */
  readonly mark: string
}

/** Without a reader, the watchdog ends after this time, and the pane closes as usual. */
const lingerSeconds = 5

/** The command that tmux runs. */
export function watchdogCommand({ file, args, dropped, mark }: WatchedProgram): readonly string[] {
  const names = dropped.filter((name) => /^[A-Za-z_]\w*$/.test(name))
  const tell = (what: string, value: string) => String.raw`printf '\033]7420;${mark};${what};%s\033\\' "${value}"`
  const begin = [
    'exec 2>&3 3>&-',
    ...(names.length > 0 ? [`unset ${names.join(' ')}`] : []),
    tell('began', '$$'),
    'exec "$@"',
  ]
  const stay = [
    // Caught, not ignored: the program would inherit an ignored signal.
    'trap : HUP INT QUIT TERM USR1 USR2',
    'begin=$1',
    'shift',
    // The shell would report that its child was killed.
    'exec 3>&2 2> /dev/null',
    '/bin/sh -c "$begin" "$0" "$@"',
    'code=$?',
    // From here on, only the end of the pane matters. Signals for the program come too late.
    "trap '' INT QUIT TERM USR1 USR2",
    tell('ended', '$code'),
    // In the foreground, the shell would wait for it before it notices the hang-up.
    `sleep ${lingerSeconds} & wait $!`,
    'kill -HUP $!',
    'exit "$code"',
  ]
  return ['/bin/sh', '-c', stay.join('\n'), 'signalbox', begin.join('\n'), file, ...args]
}

export interface WatchdogEvents {
  onOutput(bytes: Buffer): void
  onBegan(pid: number): void
  /** Nothing follows. */
  onEnded(exit: { readonly code: number | null; readonly signal: number | null }): void
}

export interface WatchdogReader {
  read(chunk: Buffer): void
  /** No more output will come: bytes that were held back as a possible mark are output. */
  flush(): void
}

const stringEnd = '\x1b\\'

/** Removes the marks from the output of the pane, however it is split. */
export function createWatchdogReader(mark: string, { onOutput, onBegan, onEnded }: WatchdogEvents): WatchdogReader {
  const start = Buffer.from(`\x1b]7420;${mark};`)
  let pending: Buffer = Buffer.alloc(0)
  let hasEnded = false

  function emit(bytes: Buffer): void {
    if (bytes.length > 0) onOutput(asXterm(bytes))
  }

  function take(text: string): void {
    const [what, value] = text.split(';')
    if (what === 'began') return onBegan(Number(value))
    if (what !== 'ended') return
    hasEnded = true
    onEnded(toExit(Number(value)))
  }

  return {
    read(chunk) {
      let rest = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      pending = Buffer.alloc(0)
      while (!hasEnded) {
        const at = rest.indexOf(start)
        if (at < 0) {
          const kept = beginningOf(start, rest)
          emit(rest.subarray(0, rest.length - kept))
          pending = rest.subarray(rest.length - kept)
          return
        }
        const end = rest.indexOf(stringEnd, at + start.length)
        emit(rest.subarray(0, at))
        if (end < 0) {
          pending = rest.subarray(at)
          return
        }
        take(rest.toString('latin1', at + start.length, end))
        rest = rest.subarray(end + stringEnd.length)
      }
    },
    flush() {
      emit(pending)
      pending = Buffer.alloc(0)
    },
  }
}

/** How many bytes at the end may be the beginning of a mark. */
function beginningOf(start: Buffer, bytes: Buffer): number {
  for (let length = Math.min(start.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(start.subarray(0, length))) return length
  }
  return 0
}

/** tmux, like screen, reads `ESC k … ESC \` as a title. Other terminals would print it. */
function asXterm(bytes: Buffer): Buffer {
  if (!bytes.includes('\x1bk')) return bytes
  return Buffer.from(bytes.toString('latin1').replaceAll('\x1bk', '\x1b]2;'), 'latin1')
}

/** A shell reports 128 plus the number of the signal. */
function toExit(code: number): { readonly code: number | null; readonly signal: number | null } {
  const signal = code - 128
  const isSignal = Object.values(constants.signals).includes(signal)
  return isSignal ? { code: null, signal } : { code, signal: null }
}
