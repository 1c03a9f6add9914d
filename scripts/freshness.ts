/** Whether something that was built from sources of the checkout is still up to date. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The same check as in bin/signalbox. It compares ctime, because a replaced file can have an old mtime. */
export function isNewerThan(stamp: string, sources: readonly string[]): boolean {
  try {
    return execFileSync('find', [...sources, '-cnewer', stamp], { cwd: root, stdio: 'pipe' }).length === 0
  } catch {
    // Without a stamp, nothing was built yet.
    return false
  }
}
