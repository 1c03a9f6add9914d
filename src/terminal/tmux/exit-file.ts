/** How the program of a pane ended, written down by tmux: it waits for its programs, and nobody else can. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PtyExit } from '../holder/pty.ts'
import { shellWord, tmuxLiteral } from './words.ts'

export interface ExitFile {
  /** For tmux to run when the pane's program has ended; formats in it are filled in. */
  readonly shellLine: string
  /** `undefined`: nobody has written it. */
  read(): PtyExit | undefined
}

export function createExitFile(directory: string): ExitFile {
  const path = join(directory, 'tmux-exit')
  return {
    // Where it cannot be written, tmux goes on without a word.
    shellLine: `(echo '#{pane_dead_status};#{pane_dead_signal}' > ${tmuxLiteral(shellWord(path))}) 2> /dev/null || :`,
    read() {
      const [, code = '', signal = ''] = /^(\d*);(\d*)$/m.exec(readText(path)) ?? []
      if (signal !== '') return { code: null, signal: Number(signal) }
      return code === '' ? undefined : { code: Number(code), signal: null }
    },
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
