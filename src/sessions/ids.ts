/** Ids that sort by creation time. Each one is later than the one before. */
import { randomBytes } from 'node:crypto'

export function createIds(now: () => number = Date.now): {
  next(): { readonly id: string; readonly createdAt: string }
} {
  let last = 0
  return {
    next() {
      last = Math.max(now(), last + 1)
      return { id: `s${last.toString(36)}${randomBytes(3).toString('hex')}`, createdAt: new Date(last).toISOString() }
    },
  }
}
