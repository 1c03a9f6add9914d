/** Hubs as root and as an ordinary user, for which sandboxes differ. */
import { spawnSync } from 'node:child_process'

const nobody = 65534

/** Gives the data directory and the home to the user, and drops all rights. */
const asNobody = [
  'sh',
  '-c',
  `chown -R ${nobody} "$SIGNALBOX_HOME" "$HOME" && exec setpriv --reuid=${nobody} --regid=${nobody} --clear-groups -- "$0" "$@"`,
]

const canChange =
  process.getuid?.() === 0 && spawnSync('sh', ['-c', `setpriv --reuid=${nobody} --clear-groups true`]).status === 0

/** Each with the words before the command line of a hub. Only root can run as both. */
export const users: readonly (readonly [name: string, within: readonly string[]])[] = [
  ['the user of the tests', []],
  ...(canChange ? [['an ordinary user', asNobody] as const] : []),
]
