/**
 * Answers questions of programs that the emulator does not answer itself. The clipboard (OSC 52) is neither written nor
 * read, since a program must not learn what a person copied.
 */
import type { Emulator } from './emulator.ts'

/** Names the emulator and not the hub: programs use the name to find out what the terminal can do. */
export const emulatorName = 'xterm.js(6.0.0)'

export function answerQuestions({ parser, answer }: Emulator): void {
  // XTVERSION
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, ([first]) => {
    if (first === 0) answer(`\x1bP>|${emulatorName}\x1b\\`)
    return true
  })
}
