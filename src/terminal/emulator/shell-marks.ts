/** The marks that a shell with integration prints: its directory (OSC 7), and prompts and commands (OSC 133). */
import { hostname } from 'node:os'
import type { Emulator } from './emulator.ts'

export interface ShellMarks {
  workingDirectory: string | undefined
  state: 'prompt' | 'running' | undefined
}

export function followShellMarks({ parser }: Emulator): ShellMarks {
  const marks: ShellMarks = { workingDirectory: undefined, state: undefined }
  parser.registerOscHandler(7, (data) => {
    marks.workingDirectory = localPath(data, hostname())
    return true
  })
  parser.registerOscHandler(133, (data) => {
    marks.state = stateAfter(data.charAt(0)) ?? marks.state
    return true
  })
  return marks
}

/** The path of a `file:` URL. `undefined` for another host: a shell behind ssh reports paths of its own host. */
export function localPath(url: string, host: string): string | undefined {
  // Not parsed by `URL`: many prompts insert the path unescaped, and then `#`, `?` and `%` are part of it.
  const [, at, path] = /^file:\/\/([^/]*)(\/.*)$/i.exec(url) ?? []
  if (at === undefined || path === undefined) return undefined
  const ours = ['', 'localhost', host.toLowerCase(), host.toLowerCase().split('.')[0]]
  if (!ours.includes(at.toLowerCase())) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function stateAfter(mark: string): ShellMarks['state'] {
  switch (mark) {
    case 'A': // start of a prompt
    case 'B': // end of the prompt, start of the typed command
    case 'D': // end of the command
      return 'prompt'
    case 'C': // start of the command's output
      return 'running'
    default:
      return undefined
  }
}
