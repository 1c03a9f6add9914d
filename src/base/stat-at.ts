import { lstatSync, type BigIntStats } from 'node:fs'

/** Without following a link at the path itself. `undefined`: it is missing, or a file has replaced a folder on the way. */
export function statAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
    throw error
  }
}
