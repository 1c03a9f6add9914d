/** The file that a holder leaves for later hubs: how to find the holder and, later, how its program ended. */
import { openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Exit } from '../journal/journal-files.ts'

export interface HolderInfo {
  readonly protocol: number
  readonly version: string
  readonly pid: number
  readonly childPid: number
  readonly socket: string
  /** Missing if the program has a terminal. */
  readonly stdio?: 'pipes'
  readonly exit?: Exit
}

export interface InfoFile {
  /** False: the disk did not take it. */
  write(info: HolderInfo): boolean
}

const fileName = 'holder.json'
/** The file gets its full size at the start, so that the end can be written even if the disk is full. */
const fileBytes = 1024

export function createInfoFile(directory: string): InfoFile {
  let file: number | undefined
  return {
    write(info) {
      const text = Buffer.from(JSON.stringify(info).padEnd(fileBytes))
      try {
        file ??= openSync(join(directory, fileName), 'w', 0o600)
        return writeSync(file, text, 0, text.length, 0) === text.length
      } catch {
        return false
      }
    },
  }
}

/** `undefined`: there is no readable file. */
export function readHolderInfo(directory: string): HolderInfo | undefined {
  try {
    return readHolderInfoOrThrow(directory)
  } catch {
    return undefined
  }
}

/** Throws if there may be a file that cannot be read now. */
export function readHolderInfoOrThrow(directory: string): HolderInfo | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, fileName), 'utf8')) as HolderInfo
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
