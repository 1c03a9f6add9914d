/** The identity of what is at a path now, if no link leads there. */
import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'

/** Opens a path without reading it, also a socket or a pipe. Node has no constant for it. */
export const pathOnly = 0x20_0000

export interface Found {
  /** Its device and inode, as `stat -c %d:%i` prints them. */
  readonly id: string
  readonly isDirectory: boolean
}

/** `undefined`: it is missing, it is a link, or a link is on the way. */
export function lookAt(path: string): Found | undefined {
  let opened: number | undefined
  try {
    opened = openSync(path, pathOnly | constants.O_NOFOLLOW)
    const stats = fstatSync(opened, { bigint: true })
    // Where the opened file is now, whatever replaced the folders of the path meanwhile.
    if (stats.isSymbolicLink() || readlinkSync(`/proc/self/fd/${opened}`) !== path) return undefined
    return { id: `${stats.dev}:${stats.ino}`, isDirectory: stats.isDirectory() }
  } catch {
    return undefined // it is missing, or this user may not see it
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}
