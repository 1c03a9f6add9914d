import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probeSandbox } from '../../sandbox/sandbox.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note, broken } = findingsAbout('containment')

/** Always says what the hub does not protect against. `setting`: SIGNALBOX_SANDBOX. */
export async function checkContainment(setting: 'required' | 'preferred' | 'off' | undefined): Promise<Finding[]> {
  return [
    await checkSandboxes(setting),
    note(
      'the hub controls only calls that pass through it, and the own tools of agents that "signalbox ls" shows as governed; a program of a session that is not shown as confined runs as your user and can read your files, also the token file',
      'docs/guides/sandbox.md says what a sandbox keeps from an agent',
    ),
  ]
}

async function checkSandboxes(setting: 'required' | 'preferred' | 'off' | undefined): Promise<Finding> {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'signalbox-'))
  const found = await probeSandbox(directory.path)
  if (found.is === 'missing') {
    const says = `sandboxes do not work here: ${found.reason}`
    if (setting === 'required') return broken(says, 'until then no session starts (SIGNALBOX_SANDBOX=required)')
    return note(says, 'until then agents run unconfined')
  }
  if (setting === 'off') return note('sandboxes work here, but SIGNALBOX_SANDBOX is off')
  if (found.socat !== undefined) return ok('sandboxes work: agents of the shipped templates are confined by bubblewrap')
  return note('sandboxes work, but not with a network of their own', 'install the package "socat"')
}
