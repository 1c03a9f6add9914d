/** stdout. An answer that could not be written is no answer: the command says so and fails. */
import type { CliContext } from './command.ts'
import { CliError } from './cli-error.ts'
import { reasonOf } from './system-error.ts'

export interface StandardOutput extends Pick<CliContext, 'out' | 'write'> {
  /** Ends the process when all is written, whatever else is still open. */
  end(code: number): void
}

export function createStandardOutput({
  stdout,
  stderr,
  exit,
}: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): StandardOutput {
  /** Whoever waits for what they write hears of a failure, and the command ends in its own way. */
  let isHeard = false

  function give(error: Error): void {
    if (isClosedPipe(error)) exit(0)
    if (isHeard) return
    stderr.write(`signalbox: ${explain(error)}\n`)
    exit(1)
  }

  stdout.on('error', give)
  return {
    out: (line) => void stdout.write(`${line}\n`),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (error) => {
          if (!error) return resolve()
          if (isClosedPipe(error)) exit(0)
          isHeard = true
          reject(new CliError('failed', explain(error), { cause: error }))
        })
      }),
    end(code) {
      stdout.write('', () => {
        if (stdout.errored) give(stdout.errored)
        exit(code)
      })
    },
  }
}

/** "signalbox config | head" closes the pipe early; that is no failure. */
function isClosedPipe(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE'
}

function explain(error: Error): string {
  return `The output could not be written: ${reasonOf(error)}.`
}
