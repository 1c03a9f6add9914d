/** The file that a holder leaves for later hubs: how to find the holder and, later, how its program ended. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Exit } from '../journal/journal-files.ts'
import { exitOf } from './frame-contents.ts'

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
    return checkInfo(JSON.parse(readStart(join(directory, fileName))))
  } catch (error) {
    if (
      error instanceof SyntaxError ||
      error instanceof WrongInfo ||
      (error as NodeJS.ErrnoException).code === 'ENOENT'
    )
      return undefined
    throw error
  }
}

const maxFileBytes = 64 * 1024

function readStart(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(maxFileBytes)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(file)
  }
}

class WrongInfo extends Error {}

/** Throws if no holder wrote it. */
function checkInfo(value: unknown): HolderInfo {
  const info = value as HolderInfo | null
  const isInfo =
    info !== null &&
    [info.protocol, info.pid, info.childPid].every((number) => Number.isSafeInteger(number) && number >= 0) &&
    typeof info.version === 'string' &&
    typeof info.socket === 'string'
  if (!isInfo) throw new WrongInfo('It is not the information of a holder.')
  if (info.exit === undefined) return info
  try {
    return { ...info, exit: exitOf(info.exit) }
  } catch (error) {
    throw new WrongInfo(`Its end is invalid: ${String(error)}`, { cause: error })
  }
}
