/**
 * The escort: a shell between tmux and the program. tmux closes a pane the moment its process ends, and what the kernel
 * has not handed over by then is lost, the tail of many a short command. So the process that tmux waits for stays until
 * all was read. It tells in the stream itself, by a sequence that no terminal knows, when the program began and how it
 * ended: what stands before that is all the program wrote.
 */
import { constants } from 'node:os'

export interface EscortedProgram {
  readonly file: string
  readonly args: readonly string[]
  /** Variables of the tmux server that are none of the session's. */
  readonly dropped: readonly string[]
  /** Told apart by this from what any program could print: whoever knew it could end the session by a text. */
  readonly mark: string
}

/** Without anybody who reads, the escort leaves after so long, and the pane closes as ever. */
const lingerSeconds = 5

/** What tmux is to run. */
export function escort({ file, args, dropped, mark }: EscortedProgram): readonly string[] {
  const names = dropped.filter((name) => /^[A-Za-z_]\w*$/.test(name))
  const tell = (what: string, value: string) => String.raw`printf '\033]7420;${mark};${what};%s\033\\' "${value}"`
  const begin = [
    'exec 2>&3 3>&-',
    ...(names.length > 0 ? [`unset ${names.join(' ')}`] : []),
    tell('began', '$$'),
    'exec "$@"',
  ]
  const stay = [
    // Caught, not ignored: what is ignored would be so for the program, too.
    'trap : HUP INT QUIT TERM USR1 USR2',
    'begin=$1',
    'shift',
    // A shell says of a child that was killed that it was; here nobody asked.
    'exec 3>&2 2> /dev/null',
    '/bin/sh -c "$begin" "$0" "$@"',
    'code=$?',
    // From here on only the end of the pane is heard, and what was meant for the program is over.
    "trap '' INT QUIT TERM USR1 USR2",
    tell('ended', '$code'),
    // In the foreground it would be waited for before the hang-up is noticed.
    `sleep ${lingerSeconds} & wait $!`,
    'kill -HUP $!',
    'exit "$code"',
  ]
  return ['/bin/sh', '-c', stay.join('\n'), 'signalbox', begin.join('\n'), file, ...args]
}

export interface EscortEvents {
  onOutput(bytes: Buffer): void
  onBegan(pid: number): void
  /** Nothing follows. */
  onEnded(exit: { readonly code: number | null; readonly signal: number | null }): void
}

export interface EscortReader {
  read(chunk: Buffer): void
  /** No more will come: what was held back, since a mark could have begun there, is output. */
  flush(): void
}

const stringEnd = '\x1b\\'

/** Takes the marks out of what comes from the pane, however it is cut. */
export function createEscortReader(mark: string, { onOutput, onBegan, onEnded }: EscortEvents): EscortReader {
  const start = Buffer.from(`\x1b]7420;${mark};`)
  let held: Buffer = Buffer.alloc(0)
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
      let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      held = Buffer.alloc(0)
      while (!hasEnded) {
        const at = rest.indexOf(start)
        if (at < 0) {
          const kept = beginningOf(start, rest)
          emit(rest.subarray(0, rest.length - kept))
          held = rest.subarray(rest.length - kept)
          return
        }
        const end = rest.indexOf(stringEnd, at + start.length)
        emit(rest.subarray(0, at))
        if (end < 0) {
          held = rest.subarray(at)
          return
        }
        take(rest.toString('latin1', at + start.length, end))
        rest = rest.subarray(end + stringEnd.length)
      }
    },
    flush() {
      emit(held)
      held = Buffer.alloc(0)
    },
  }
}

/** How many bytes at the end could be the beginning of a mark. */
function beginningOf(start: Buffer, bytes: Buffer): number {
  for (let length = Math.min(start.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(start.subarray(0, length))) return length
  }
  return 0
}

/** tmux, like screen, takes `ESC k … ESC \` for a title. No other terminal does: the title would be printed. */
function asXterm(bytes: Buffer): Buffer {
  if (!bytes.includes('\x1bk')) return bytes
  return Buffer.from(bytes.toString('latin1').replaceAll('\x1bk', '\x1b]2;'), 'latin1')
}

/** A shell says 128 and the number of the signal. */
function toExit(code: number): { readonly code: number | null; readonly signal: number | null } {
  const signal = code - 128
  const isSignal = Object.values(constants.signals).includes(signal)
  return isSignal ? { code: null, signal } : { code, signal: null }
}
