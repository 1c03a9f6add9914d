/**
 * Reads the files in which an agent keeps its conversation. The agent names them, so the session decides which of them
 * the hub may open. A file that it may not open is not read, and people are told.
 */
import { messageOf } from '../../base/hub-error.ts'
import type { RunSession } from './driver.ts'
import type { Lines } from './read-lines.ts'
import { readLines } from './read-lines.ts'

export interface TranscriptFiles {
  /** Why a conversation is not read. */
  readonly fault: string | undefined
  /** The next whole lines. `undefined`: there is none yet, or no such file. */
  read(path: string, offset: number): Promise<Lines | undefined>
  /** Whether the hub may read this file, now or when it is there. */
  mayFollow(path: string): Promise<boolean>
}

export function createTranscriptFiles(open: RunSession['openTranscript'], onChange: () => void): TranscriptFiles {
  let unread: string | undefined
  let refused: string | undefined

  function explain(path: string, error: unknown): string {
    return `The hub does not read the conversation in ${path}: ${messageOf(error)}`
  }

  return {
    get fault() {
      return refused ?? unread
    },
    async read(path, offset) {
      const before = unread
      try {
        const found = await readLines(() => open(path), offset)
        unread = undefined
        return found
      } catch (error) {
        unread = explain(path, error)
        throw error
      } finally {
        if (unread !== before) onChange()
      }
    },
    async mayFollow(path) {
      const before = refused
      try {
        await (await open(path)).close()
        refused = undefined
      } catch (error) {
        // The agent creates the file with the first prompt.
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
        refused = isMissing ? undefined : explain(path, error)
      }
      if (refused !== before) onChange()
      return refused === undefined
    },
  }
}
