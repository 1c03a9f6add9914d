import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { note } = findingsAbout('containment')

/** Always says what the hub does not protect against. */
export function checkContainment(): Finding[] {
  return [
    note(
      'the hub controls only calls that pass through it, and the own tools of agents that "signalbox ls" shows as governed; a program that an agent starts runs as your user and can read your files, also the token file',
      'docs/security.md says how to contain an agent',
    ),
  ]
}
