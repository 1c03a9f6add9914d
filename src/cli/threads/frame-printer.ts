/** Prints the frames of a turn: the answer to stdout, everything else to stderr, and a spinner while nothing comes. */
import type { Frame } from '../../api/thread.ts'
import type { CliContext } from '../command/command.ts'
import { printable } from '../terminal-output/printable.ts'
import { startSpinner } from '../terminal-output/spinner.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

export interface FramePrinter extends Disposable {
  print(frame: Frame): Promise<void>
  /** A line for people only. */
  note(text: string): void
  /** Ends the last line. */
  end(): Promise<void>
}

const longestCall = 160

export function createFramePrinter(context: Pick<CliContext, 'write' | 'err'>): FramePrinter {
  const spinner = startSpinner('working')
  /** The answer is in the middle of a line. */
  let isMidLine = false

  async function say(text: string): Promise<void> {
    const clean = printable(text)
    if (clean === '') return
    spinner.clear()
    isMidLine = !clean.endsWith('\n')
    await context.write(clean)
  }

  async function line(text: string): Promise<void> {
    if (isMidLine) await say('\n')
    spinner.clear()
    context.err(text)
  }

  return {
    async print(frame) {
      switch (frame.type) {
        case 'token':
          return say(frame.text)
        case 'thinking':
          return line(`  ${frame.text.trim()}`)
        case 'tool-request':
          return line(`→ ${short(`${frame.name} ${JSON.stringify(frame.parameters)}`)}`)
        case 'tool-result':
          if (frame.stage === 'error') return line(`✗ ${frame.name}: ${short(frame.errorTrimmed ?? 'it failed')}`)
          return
        case 'error':
          return line(`! ${frame.message}`)
        case 'prompt':
        case 'final':
        case 'complete':
          return
      }
    },
    note: (text) => void line(`◆ ${text}`),
    async end() {
      if (isMidLine) await say('\n')
    },
    [Symbol.dispose]: () => spinner[Symbol.dispose](),
  }
}

/** One frame per line. */
export function createJsonPrinter(context: Pick<CliContext, 'out' | 'err'>): FramePrinter {
  return {
    print: async (frame) => context.out(JSON.stringify(frame)),
    note: (text) => context.err(`signalbox: ${text}`),
    end: async () => {},
    [Symbol.dispose]() {},
  }
}

function short(text: string): string {
  const plain = visibleText(text)
  return plain.length <= longestCall ? plain : `${plain.slice(0, longestCall)}…`
}
