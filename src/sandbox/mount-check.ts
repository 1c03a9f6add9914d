/**
 * Between the hub's look at a path and the mount, an agent that may write around it can put something else there. So the
 * program starts only after a check inside the sandbox: each such mount is there, and shows what the hub has looked at.
 * Once made, a mount stays what it is.
 */
import { quoted } from '../base/shell-line.ts'
import type { Mount } from './mounts.ts'
import { isInside } from './mounts.ts'

/** Mounts whose source or place an agent could exchange. `writable`: what agents may have written. */
export function exchangeable(mounts: readonly Mount[], writable: readonly string[]): readonly Mount[] {
  const canReach = (path: string) => writable.some((directory) => isInside(path, directory))
  return mounts.filter(
    (mount) => mount.is !== 'link' && (canReach(mount.path) || ('source' in mount && canReach(mount.source))),
  )
}

/** Lines of a shell script. `idOf`: the device and inode of a source, as the hub has seen it. Pure. */
export function checkLines(mounts: readonly Mount[], idOf: (source: string) => string): readonly string[] {
  const shown = mounts.flatMap((mount) => ('source' in mount ? [{ path: mount.path, id: idOf(mount.source) }] : []))
  return mounts.length === 0
    ? []
    : [
        `fail() { echo "Signalbox: $1 was exchanged while the sandbox was made, so the program does not start." >&2; exit 125; }`,
        'mounted=$(cat /proc/self/mountinfo)',
        ...mounts.map(
          (mount) =>
            `case $mounted in *${quoted(` ${escaped(mount.path)} `)}${mount.is === 'read' ? 'ro' : 'r[ow]'},*) ;; *) fail ${quoted(mount.path)} ;; esac`,
        ),
        ...(shown.length === 0
          ? []
          : [
              `found=$(stat -c %d:%i -- ${shown.map(({ path }) => quoted(path)).join(' ')})`,
              `[ "$found" = ${quoted(shown.map(({ id }) => id).join('\n'))} ] || fail ${quoted(shown.map(({ path }) => path).join(' or '))}`,
            ]),
      ]
}

/** As the kernel writes paths in /proc/self/mountinfo. */
function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
}
