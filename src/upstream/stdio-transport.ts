/** A program that speaks MCP over its standard input and output, in its own process group. */
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import type { SandboxedProgram } from '../base/confinement.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import { createLineReader } from '../base/lines.ts'
import { createLoopShare } from '../base/loop-share.ts'
import { createHeldBytes, noRoom } from './held-bytes.ts'
import { deliver, reportGarbage } from './incoming.ts'
import { Intake } from './intake.ts'
import { defaultMaxMessageBytes } from './message-limits.ts'
import type { Mark, Reaper } from './reaper.ts'
import { createTail } from './stdio-tail.ts'
import { errorLine } from './error-line.ts'
import type { TransportListener, UpstreamTransport } from './transport.ts'
import { NotSent } from './transport.ts'

export interface StdioTransportOptions {
  readonly command: string
  readonly args: readonly string[]
  /** The complete environment: nothing of the hub's own environment is added. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Puts the program into its sandbox. Rejects if it must not start. */
  readonly confine?: () => Promise<ConfinedProgram>
  readonly maxMessageBytes?: number
  readonly reaper: Reaper
  /** Messages quote the program's last output, and only a whole secret can be redacted. */
  readonly redact: (text: string) => string
  /** A line of its stderr, unchanged. */
  readonly onErrorLine?: (line: string) => void
}

/** The command line around a program. The sockets of its sandbox stay open until it is disposed of. */
export type ConfinedProgram = SandboxedProgram & Disposable

const stderrBytes = 64 * 1024
const longestErrorLine = 64 * 1024
const graceMs = 2_000
/** Limits input that the program has not read yet. Cancelled calls stay in it. */
const maxUnread = 64 * 1024 * 1024
/** How long the output may stay open after the program has ended: other processes may have inherited it. */
const outputGraceMs = 250

export function createStdioTransport(options: StdioTransportOptions): UpstreamTransport {
  const { command, maxMessageBytes = defaultMaxMessageBytes, reaper, redact } = options
  const stderr = createTail(stderrBytes)
  let running: { readonly program: ChildProcessWithoutNullStreams; readonly gone: Promise<void> } | undefined
  let listener: TransportListener | undefined
  let isClosed = false
  let stopReading = () => {}
  let isHeldUp = () => false
  const share = createLoopShare()
  const held = createHeldBytes().open()
  const tooLong = `a message is longer than ${maxMessageBytes} bytes and was dropped`

  function follow(program: ChildProcessWithoutNullStreams, mark: Mark, confined?: Disposable): Promise<void> {
    const intakes = [readMessages(program), readErrors(program)]
    const { promise: isRead, resolve: stopWaiting } = Promise.withResolvers<void>()
    isHeldUp = () => intakes.some(({ isPaused }) => isPaused)
    stopReading = () => {
      for (const intake of intakes) intake.stop()
      held.release()
      share[Symbol.dispose]()
      stopWaiting()
    }
    for (const stream of [program.stdin, program.stdout, program.stderr]) stream.on('error', () => {})
    program.once('exit', () => intakes.forEach((intake) => intake.hurry()))
    return untilGone(program).then(async (how) => {
      mark.ended()
      confined?.[Symbol.dispose]()
      const ends = intakes.map((intake) => new Promise<void>((resolve) => intake.end(resolve)))
      await Promise.race([Promise.all(ends), isRead])
      stopReading()
      const lastLine = errorLine(redact(stderr.text()))
      finish(`${command} ${how}${lastLine === '' ? '' : `; it last said: ${lastLine}`}`)
    })
  }

  function readMessages(program: ChildProcessWithoutNullStreams): Intake {
    let skipReason = tooLong
    const lines = createLineReader({
      maxBytes: maxMessageBytes,
      onLine(line) {
        if (line.length > 0) intake.step(() => passOn(line))
      },
      mayKeep(bytes) {
        const hasRoom = held.grow(bytes)
        if (!hasRoom) skipReason = noRoom
        return hasRoom
      },
      onSkipped(head, tail) {
        held.release()
        if (listener) reportGarbage(listener, skipReason, head, tail)
        skipReason = tooLong
      },
    })
    const intake = new Intake({ share, source: program.stdout, inPieces: true, read: (bytes) => lines.feed(bytes) })

    function passOn(line: Buffer): boolean | Promise<boolean> {
      const delivered = listener ? deliver(line, listener) : false
      return typeof delivered === 'boolean' ? delivered : delivered.finally(() => held.release())
    }

    program.stdout.on('data', (chunk: Buffer) => intake.take(chunk))
    program.stdout.on('end', () => {
      intake.end(() => lines.end())
      intake.end(() => void endMute(program))
    })
    return intake
  }

  function readErrors(program: ChildProcessWithoutNullStreams): Intake {
    const lines = createLineReader({
      maxBytes: longestErrorLine,
      onLine: (line) => intake.step(() => passOn(line.toString('utf8'))),
      onSkipped: (head) => intake.step(() => passOn(head)),
    })
    const passOn = (line: string) => {
      options.onErrorLine?.(line)
      return false
    }
    const intake = new Intake({
      share,
      source: program.stderr,
      inPieces: true,
      read(bytes) {
        stderr.add(bytes)
        lines.feed(bytes)
      },
    })
    program.stderr.on('data', (chunk: Buffer) => intake.take(chunk))
    program.stderr.on('end', () => intake.end(() => lines.end()))
    return intake
  }

  /** A program that has closed its output cannot answer, so it is ended. */
  async function endMute(program: ChildProcessWithoutNullStreams): Promise<void> {
    await Promise.race([once(program, 'exit'), after(outputGraceMs)])
    if (hasEnded(program)) return
    finish(`${command} closed its output, though it still ran`)
    await end(program)
  }

  function finish(reason: string): void {
    const current = listener
    listener = undefined
    current?.closed(reason)
  }

  return {
    async start(to) {
      const confined = await options.confine?.()
      const mark = reaper.mark()
      try {
        const program = await spawnProgram(options, mark, confined)
        if (!isClosed) listener = to
        running = { program, gone: follow(program, mark, confined) }
        if (isClosed) await end(program)
      } catch (error) {
        mark.ended()
        confined?.[Symbol.dispose]()
        throw error
      }
    },
    async send(message) {
      const program = running?.program
      if (!program || !listener || !program.stdin.writable) throw new NotSent(`${command} is not running.`)
      if (program.stdin.writableLength > maxUnread) {
        throw new NotSent(`${command} has not read ${program.stdin.writableLength} bytes of its input.`)
      }
      const line = `${JSON.stringify(message)}\n`
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      program.stdin.write(line, (error) => {
        // The newline is written last. Without it the program has no message.
        if (error) reject(new NotSent(`${command} no longer reads its input: ${messageOf(error)}.`))
        else resolve()
      })
      return promise
    },
    agree() {},
    abandon() {},
    async close() {
      isClosed = true
      listener = undefined
      stopReading()
      if (!running) return
      await end(running.program, isHeldUp())
      await running.gone
    },
    canAsk: true,
    get stderr() {
      return stderr.text()
    },
  }
}

async function spawnProgram(
  options: StdioTransportOptions,
  mark: Mark,
  confined?: SandboxedProgram,
): Promise<ChildProcessWithoutNullStreams> {
  const { file, args, env, cwd } = confined ?? { ...options, file: options.command }
  try {
    const program = spawn(file, args, { cwd, env: { ...env, ...mark.environment }, detached: true })
    await once(program, 'spawn')
    mark.startedAs(program.pid!)
    return program
  } catch (error) {
    throw new HubError('unavailable', whyNotStarted(error, options), { cause: error })
  }
}

function whyNotStarted(error: unknown, { command, cwd }: StdioTransportOptions): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  // The system reports a missing directory as a missing command.
  if (!existsSync(cwd)) return `The directory ${cwd}, in which ${command} should run, does not exist. Create it.`
  if (code === 'ENOENT') {
    return `The command "${command}" was not found. Install it, or name it in "cmd" with its full path.`
  }
  if (code === 'EACCES') return `The command "${command}" may not be executed. Check its permissions (chmod +x).`
  return `The command "${command}" could not be started: ${messageOf(error)}.`
}

/** Resolves when the program has ended and all its output is read. Returns how it ended. */
async function untilGone(program: ChildProcessWithoutNullStreams): Promise<string> {
  const closed = once(program, 'close')
  const [code, signal] = (await once(program, 'exit')) as [number | null, NodeJS.Signals | null]
  signalGroup(program, 'SIGTERM')
  await Promise.race([closed, after(outputGraceMs)])
  for (const stream of [program.stdin, program.stdout, program.stderr]) stream.destroy()
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
}

/**
 * First closes its input, then sends SIGTERM to the group, then SIGKILL. A program that is held up, because its output is
 * not read, cannot end by itself.
 */
async function end(program: ChildProcessWithoutNullStreams, isHeldUp = false): Promise<void> {
  if (hasEnded(program)) return
  const exited = once(program, 'exit')
  program.stdin.end()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const hasTime = signal === 'SIGKILL' || !isHeldUp
    if (hasTime && (await isWithin(graceMs, exited))) return
    signalGroup(program, signal)
  }
  await exited
}

async function isWithin(ms: number, event: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const isFirst = await Promise.race([
    event.then(() => true),
    after(ms, false, { signal: timer.signal }).catch(() => false),
  ])
  timer.abort()
  return isFirst
}

function hasEnded({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null
}

function signalGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal)
  } catch {
    // The group is empty.
  }
}
