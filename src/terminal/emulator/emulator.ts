/** The terminal emulator, protected against hostile output. The only file that imports it. */
import { createRequire } from 'node:module'
import type { IParser } from '@xterm/headless'
import { messageOf } from '../../base/hub-error.ts'
import type { Size } from '../pty/size.ts'
import { countCharactersAsUnicode11 } from './character-width.ts'
import { guardEmulator, repairBuffers, straightenBuffers } from './guards.ts'
import type { Internals } from './internals.ts'
import { internalsOf } from './internals.ts'

export interface Emulator extends Disposable {
  readonly size: Size
  readonly internals: Internals
  /** For handlers of sequences that the emulator does not know or should not handle. */
  readonly parser: IParser
  /** Parses the bytes synchronously, and passes on the emulator's answers to the program. */
  parse(bytes: Uint8Array): void
  /** Discards an incomplete sequence or character. */
  interrupt(): void
  /** Sends an answer to the program. */
  answer(text: string): void
  resize(size: Size): void
  /** Drops the oldest lines above the visible ones. */
  dropLines(count: number): void
}

export interface EmulatorOptions {
  readonly size: Size
  readonly scrollbackLines: number
  readonly onAnswer: (bytes: Buffer) => void
  /** The emulator failed on these bytes, and continues after them. */
  readonly onFault: (error: Error) => void
}

/** A program asks a few questions at its start. To one that asks without end, this many bytes are answered... */
const maxAnswerBytes = 16 * 1024
/** ...for so much output. */
const perOutputBytes = 32 * 1024

const require = createRequire(import.meta.url)

export function createEmulator({ size, scrollbackLines, onAnswer, onFault }: EmulatorOptions): Emulator {
  // Loaded lazily: a hub that draws no screen does not need it.
  const { Terminal } = require('@xterm/headless') as typeof import('@xterm/headless')
  const terminal = new Terminal({
    ...size,
    scrollback: scrollbackLines,
    allowProposedApi: true,
    logLevel: 'off',
    windowOptions: { getWinSizeChars: true, pushTitle: true, popTitle: true },
  })
  const internals = internalsOf(terminal)
  countCharactersAsUnicode11(terminal)
  guardEmulator(internals, () => terminal)

  let answers: string[] = []
  let answerLength = 0
  let sinceBytes = 0
  function answer(text: string): void {
    answerLength += text.length
    if (answerLength <= maxAnswerBytes) answers.push(text)
  }
  terminal.onData(answer)

  function interrupt(): void {
    internals._inputHandler._parser.reset()
    internals._inputHandler._utf8Decoder.interim.fill(0)
  }

  return {
    get size() {
      return { cols: terminal.cols, rows: terminal.rows }
    },
    internals,
    parser: terminal.parser,
    answer,
    interrupt,
    parse(bytes) {
      sinceBytes += bytes.length
      if (sinceBytes > perOutputBytes) {
        sinceBytes = bytes.length
        answerLength = 0
      }
      try {
        internals._inputHandler.parse(bytes)
      } catch (error) {
        interrupt()
        onFault(faultOf(`on ${bytes.length} bytes of output`, error))
      }
      if (answers.length > 0) onAnswer(Buffer.from(answers.join('')))
      answers = []
    },
    resize({ cols, rows }) {
      straightenBuffers(internals)
      try {
        terminal.resize(cols, rows)
      } catch (error) {
        onFault(faultOf(`at the size ${cols}x${rows}`, error))
      }
      repairBuffers(internals, terminal)
    },
    dropLines(count) {
      const { normal } = internals.buffers
      const dropped = Math.min(count, normal.ybase)
      normal.lines.trimStart(dropped)
      normal.ybase -= dropped
      normal.ydisp = normal.ybase
      normal.savedY = Math.max(0, normal.savedY - dropped)
    },
    [Symbol.dispose]: () => terminal.dispose(),
  }
}

function faultOf(where: string, error: unknown): Error {
  return new Error(`The emulator failed ${where}: ${messageOf(error)}`, { cause: error })
}
