/**
 * The state of an unfinished call, kept by its client. The client can read it, but cannot change it or use it for
 * another call.
 */
import { errorCode, RpcError } from '../mcp/mcp.ts'
import { loadSdk } from './load-sdk.ts'
import type { RequestStateCodec } from './sdk.ts'

export interface RequestState {
  seal(state: unknown, bound: object): Promise<string>
  /** `undefined` if none was sent. */
  open(sealed: unknown, bound: object): Promise<unknown>
}

export function createRequestState(key: Uint8Array): RequestState {
  let created: RequestStateCodec<{ state: unknown; bound: string }> | undefined
  const codec = () => (created ??= loadSdk().createRequestStateCodec({ key, ttlSeconds: 3600 }))
  return {
    seal: (state, bound) => codec().mint({ state, bound: JSON.stringify(bound) }),
    async open(sealed, bound) {
      if (sealed === undefined) return undefined
      const opened =
        typeof sealed === 'string'
          ? await codec()
              .verify(sealed, undefined as never)
              .catch(() => undefined)
          : undefined
      if (opened?.bound === JSON.stringify(bound)) return opened.state
      throw new RpcError(
        errorCode.invalidParams,
        'This requestState has expired or belongs to another call. Call again without it.',
      )
    },
  }
}
