/** The users that a hub runs as in tests of sandboxes: this one, and for root also an ordinary user. */
import { spawnSync } from 'node:child_process'
import { bundled } from '../harness/bundle.ts'

export interface HubUser {
  readonly who: string
  /** For `startOwnHub`. Its data directory then belongs to the user. */
  readonly within: readonly string[]
}

const nobody = '65534'
const asNobody: readonly [string, ...string[]] = [
  'setpriv',
  `--reuid=${nobody}`,
  `--regid=${nobody}`,
  '--clear-groups',
  '--',
]

export function hubUsers(): readonly HubUser[] {
  if (process.getuid?.() !== 0) return [{ who: 'an ordinary user', within: [] }]
  const root = { who: 'root', within: [] }
  const [file, ...args] = asNobody
  // A checkout may be in a directory that only root sees.
  const canRun = spawnSync(file, [...args, process.execPath, bundled('signalbox'), 'help']).status === 0
  if (!canRun) return [root]
  const own = `chown -R ${nobody}:${nobody} "$SIGNALBOX_HOME" "$HOME" && exec "$@"`
  return [root, { who: 'an ordinary user', within: ['sh', '-c', own, 'sh', ...asNobody] }]
}
