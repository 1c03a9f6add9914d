/** What a holder leaves for later hubs: how to find it and, in the end, how its program ended. */
import { openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Exit } from './frames.ts'

export interface HolderNotice {
  readonly protocol: number
  readonly version: string
  readonly pid: number
  readonly childPid: number
  readonly socket: string
  readonly exit?: Exit
}

export interface NoticeFile {
  /** False: the disk did not take it. */
  write(notice: HolderNotice): boolean
}

const fileName = 'holder.json'
/** All of it is taken at once, so that the end can be written even when the disk is full. */
const fileBytes = 1024

export function createNoticeFile(directory: string): NoticeFile {
  let file: number | undefined
  return {
    write(notice) {
      const text = Buffer.from(JSON.stringify(notice).padEnd(fileBytes))
      try {
        file ??= openSync(join(directory, fileName), 'w', 0o600)
        return writeSync(file, text, 0, text.length, 0) === text.length
      } catch {
        return false
      }
    },
  }
}

/** `undefined`: there is none that can be read. */
export function readNotice(directory: string): HolderNotice | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, fileName), 'utf8')) as HolderNotice
  } catch {
    return undefined
  }
}
