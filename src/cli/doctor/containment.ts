import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { note } = findingsAbout('containment')

/** Always says what the hub does not protect against. */
export function checkContainment(): Finding[] {
  return [
    note(
      'the hub controls only calls that pass through it; an agent with a shell runs as your user, can read your files (also the token file), and its own tools do not pass the hub',
      'docs/security.md says how to contain an agent',
    ),
  ]
}
