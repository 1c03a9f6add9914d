import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { note } = findingsAbout('containment')

/** Never promise more than is kept. */
export function checkContainment(): Finding[] {
  return [
    note(
      'the hub governs only calls that pass it; an agent with a shell runs as your user, can read your files (the token file among them), and its own built-in tools do not pass the hub',
      'docs/security.md says what helps',
    ),
  ]
}
