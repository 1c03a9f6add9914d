/** Counts the unanswered requests of each token. `listen.ts` counts streams that only listen. */
import { errorCode, RpcError } from '../mcp/mcp.ts'

export interface InFlight {
  /** Counts one more until it is disposed. Throws if there are too many. */
  enter(tokenId: string): Disposable
}

export function createInFlight(maxPerToken: number): InFlight {
  const counts = new Map<string, number>()
  return {
    enter(tokenId) {
      const count = counts.get(tokenId) ?? 0
      if (count >= maxPerToken) {
        throw new RpcError(
          errorCode.busy,
          `This token has ${maxPerToken} calls in flight, which is the limit. Wait until one is answered, then try again.`,
        )
      }
      counts.set(tokenId, count + 1)
      return {
        [Symbol.dispose]() {
          const left = (counts.get(tokenId) ?? 0) - 1
          if (left > 0) counts.set(tokenId, left)
          else counts.delete(tokenId)
        },
      }
    },
  }
}
