/** How the program of a pane ended, written by tmux, since only tmux can wait for its programs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PtyExit } from '../pty/pty.ts'
import { shellWord, tmuxLiteral } from './quoting.ts'

export interface ExitFile {
  /** For tmux to run when the pane's program has ended. tmux fills in the formats. */
  readonly shellLine: string
  /** `undefined`: it was not written. */
  read(): PtyExit | undefined
}

export function createExitFile(directory: string): ExitFile {
  const path = join(directory, 'tmux-exit')
  return {
    // If it cannot be written, tmux continues silently.
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
