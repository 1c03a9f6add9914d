/** Prints an answer as it comes: its text to stdout, thoughts to stderr, and a spinner while nothing comes. */
import type { CliContext } from '../command/command.ts'
import { printable } from '../terminal-output/printable.ts'
import { startSpinner } from '../terminal-output/spinner.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

export interface AnswerPrinter extends Disposable {
  /** Takes a progress message of the hub: `thinking: …` or `final: …`. */
  take(message: string): void
  /** Prints what is still missing of the answer. */
  end(answer: string): Promise<void>
}

export function createAnswerPrinter(context: Pick<CliContext, 'write' | 'err'>): AnswerPrinter {
  const spinner = startSpinner('reading')
  let said = ''
  let thought = ''
  let written: Promise<void> = Promise.resolve()

  function say(text: string): void {
    if (text === '') return
    spinner.clear()
    said += text
    written = written.then(() => context.write(printable(text)))
    // `end` reports a failure.
    written.catch(() => {})
  }

  /** Thoughts come in pieces, and are printed in whole lines. */
  function think(text: string, isWhole = false): void {
    const lines = (thought + text).split('\n')
    thought = isWhole ? '' : (lines.pop() ?? '')
    for (const line of lines.filter((each) => each.trim() !== '')) {
      spinner.clear()
      context.err(`  ${visibleText(line.trim())}`)
    }
  }

  return {
    take(message) {
      const [, type, text = ''] = /^(thinking|final): ([\s\S]*)$/.exec(message) ?? []
      if (type === 'thinking') think(text)
      if (type === 'final') {
        think('', true)
        say(text)
      }
    },
    async end(answer) {
      think('', true)
      const missing = answer.startsWith(said) ? answer.slice(said.length) : `\n\n${answer}`
      say(missing.endsWith('\n') || (missing === '' && said.endsWith('\n')) ? missing : `${missing}\n`)
      await written
    },
    [Symbol.dispose]: () => spinner[Symbol.dispose](),
  }
}
