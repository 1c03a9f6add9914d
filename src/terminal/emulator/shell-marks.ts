/** What a shell with integration tells in its output: its directory (OSC 7) and where prompt and command begin (OSC 133). */
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

/** The path of a `file:` URL, unless it lies on another host: a shell at the end of ssh talks about its own. */
export function localPath(url: string, host: string): string | undefined {
  // Not by `URL`: many prompts put the path in as it is, and then `#`, `?` and `%` stand for themselves.
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
    case 'A': // a prompt begins
    case 'B': // it ends, and what is typed follows
    case 'D': // the command has ended
      return 'prompt'
    case 'C': // the output of the command follows
      return 'running'
    default:
      return undefined
  }
}
