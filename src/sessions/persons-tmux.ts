/** The tmux of the person who runs the hub: what is started or found there, they have at hand as ever. */
import { HubError } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { TmuxAccess } from '../terminal/terminal.ts'
import { findProgram } from './program.ts'

export interface PersonsEnvironment {
  readonly base: ProgramEnvironment
  passedOn(names: readonly string[]): ProgramEnvironment
}

export function personsTmux({ base, passedOn }: PersonsEnvironment): TmuxAccess {
  return { program: findTmux(base['PATH'] ?? ''), env: { ...base, ...passedOn(['TMUX_TMPDIR']) } }
}

function findTmux(path: string): string {
  try {
    return findProgram('tmux', path, '/')
  } catch (error) {
    throw new HubError('unavailable', "tmux is not installed, or not on the hub's PATH. Install it, and try again.", {
      cause: error,
    })
  }
}
