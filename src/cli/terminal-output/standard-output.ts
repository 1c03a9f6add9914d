/** Writes to stdout. A command whose answer cannot be written fails with a message. */
import type { CliContext } from '../command/command.ts'
import { CliError } from '../command/cli-error.ts'
import { reasonOf } from '../command/system-error.ts'

export interface StandardOutput extends Pick<CliContext, 'out' | 'write'> {
  /** Exits when all output is written, even if something else is still open. */
  end(code: number): void
}

export function createStandardOutput({
  stdout,
  stderr,
  exit,
}: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): StandardOutput {
  /** A caller of `write` got the error already, and the command handles it. */
  let isReported = false

  function fail(error: Error): void {
    if (isClosedPipe(error)) exit(0)
    if (isReported) return
    stderr.write(`signalbox: ${explain(error)}\n`)
    exit(1)
  }

  stdout.on('error', fail)
  return {
    out: (line) => void stdout.write(`${line}\n`),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (error) => {
          if (!error) return resolve()
          if (isClosedPipe(error)) exit(0)
          isReported = true
          reject(new CliError('failed', explain(error), { cause: error }))
        })
      }),
    end(code) {
      stdout.write('', () => {
        if (stdout.errored) fail(stdout.errored)
        exit(code)
      })
    },
  }
}

/** "signalbox config | head" closes the pipe early. That is not a failure. */
function isClosedPipe(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE'
}

function explain(error: Error): string {
  return `The output could not be written: ${reasonOf(error)}.`
}
