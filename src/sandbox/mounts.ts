/** The order in which paths are mounted into a sandbox: parents before their contents. Pure. */

export type Mount =
  | { readonly is: 'read' | 'write'; readonly path: string; readonly source: string }
  /** An empty directory, in memory. `isHidden`: it covers one that must not be seen. */
  | { readonly is: 'empty'; readonly path: string; readonly isHidden?: boolean }
  | { readonly is: 'link'; readonly path: string; readonly target: string }

/** If two mounts have one path, the first of these counts. */
const strength = ['write', 'read', 'link', 'empty'] as const

/** Also leaves out links inside directories that are mounted: they are there already, and cannot be made. */
export function arrange(mounts: readonly Mount[]): readonly Mount[] {
  const byPath = new Map<string, Mount>()
  for (const mount of mounts) {
    const before = byPath.get(mount.path)
    if (!before || strength.indexOf(mount.is) < strength.indexOf(before.is)) byPath.set(mount.path, mount)
  }
  const kept = [...byPath.values()]
  const isFilled = ({ is }: Mount) => is === 'read' || is === 'write'
  return kept
    .filter((mount) => mount.is !== 'link' || !kept.some((each) => isFilled(each) && isInside(mount.path, each.path)))
    .sort((one, other) => compare(one.path, other.path))
}

/**
 * Covers directories that must stay hidden, wherever one of the mounts would show them. `hidden`: paths without links.
 */
export function hide(hidden: readonly string[], mounts: readonly Mount[]): readonly Mount[] {
  return mounts.flatMap((mount): readonly Mount[] => {
    if (mount.is !== 'read' && mount.is !== 'write') return []
    const { path, source } = mount
    return hidden
      .filter((each) => isInside(each, source))
      .map((each) => ({ is: 'empty', path: `${path}${each.slice(source.length)}`, isHidden: true }))
  })
}

export function isInside(path: string, directory: string): boolean {
  return path !== directory && isAtOrInside(path, directory)
}

export function isAtOrInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`)
}

/** By components, so that a directory comes before everything inside it. */
function compare(one: string, other: string): number {
  const [left, right] = [one.split('/'), other.split('/')]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    if (left[index] !== right[index]) return left[index]! < right[index]! ? -1 : 1
  }
  return left.length - right.length
}
