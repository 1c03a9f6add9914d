/**
 * What a program asks its terminal beyond what the emulator answers by itself. The clipboard (OSC 52)
 * is neither written nor told: what a person copied is nobody's business.
 */
import type { Emulator } from './emulator.ts'

/** Names the emulator, since programs look for what it can do, not for who runs it. */
export const emulatorName = 'xterm.js(6.0.0)'

export function answerQuestions({ parser, answer }: Emulator): void {
  // XTVERSION
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, ([first]) => {
    if (first === 0) answer(`\x1bP>|${emulatorName}\x1b\\`)
    return true
  })
}
