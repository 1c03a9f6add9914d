/** The repositories below a root that cannot be read. They must not keep the rest of it from being indexed. */
import type { UnreadPart } from '../../api/repository.ts'
import { messageOf } from '../../base/hub-error.ts'

export interface UnreadParts {
  readonly all: readonly UnreadPart[]
  /** `prefix`: the path of the repository below the root, with a slash at its end. Throws the error of the root itself. */
  note(prefix: string, error: unknown): void
}

const longestReason = 500

export function createUnreadParts(signal: AbortSignal): UnreadParts {
  const reasons = new Map<string, string>()
  return {
    get all() {
      return [...reasons].map(([path, reason]) => ({ path, reason }))
    },
    note(prefix, error) {
      if (prefix === '' || signal.aborted) throw error
      reasons.set(prefix.slice(0, -1), messageOf(error).slice(0, longestReason))
    },
  }
}

/** Whether a path is in a part that could not be read. */
export function isUnread(unread: readonly UnreadPart[], path: string): boolean {
  return unread.some((part) => path.startsWith(`${part.path}/`))
}
