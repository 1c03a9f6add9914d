/**
 * Counts the bytes of large messages that upstreams have begun to send and that are not parsed yet. Reading cannot wait
 * for others here, because a message only becomes less when it is complete. So a message for which there is no room is
 * dropped.
 */
import { HubError } from '../base/hub-error.ts'

/** Of one upstream: one message of the longest kind, in the buffer that it grows into. */
const mostOfOne = 192 * 1024 * 1024
const mostOfAll = 512 * 1024 * 1024

let heldByAll = 0

export interface HeldBytes {
  /** Starts counting one message. */
  open(): HeldMessage
}

export interface HeldMessage {
  /** Sets how many bytes are held for the message. False, and nothing changes, if there is no room for them. */
  grow(bytes: number): boolean
  release(): void
}

/** For the messages of one upstream. */
export function createHeldBytes(): HeldBytes {
  let heldByOne = 0
  return {
    open() {
      let own = 0
      const set = (bytes: number) => {
        heldByOne += bytes - own
        heldByAll += bytes - own
        own = bytes
      }
      return {
        grow(bytes) {
          if (heldByOne + bytes - own > mostOfOne || heldByAll + bytes - own > mostOfAll) return false
          set(bytes)
          return true
        },
        release: () => set(0),
      }
    },
  }
}

export const noRoom =
  'the hub holds too many unfinished messages of upstreams, and dropped this one; ask for less at once'

export function noRoomError(): HubError {
  return new HubError('too-large', `${noRoom}.`)
}
