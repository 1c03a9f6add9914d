/** The state that an unfinished call leaves with its client: the client can read it, but not change it, nor use it for another call. */
import { createRequestStateCodec } from './sdk.ts'
import { errorCode, RpcError } from './wire.ts'

export interface RequestState {
  seal(state: unknown, bound: object): Promise<string>
  /** `undefined` where none was sent. */
  open(sealed: unknown, bound: object): Promise<unknown>
}

export function createRequestState(key: Uint8Array): RequestState {
  const codec = createRequestStateCodec<{ state: unknown; bound: string }>({ key, ttlSeconds: 3600 })
  return {
    seal: (state, bound) => codec.mint({ state, bound: JSON.stringify(bound) }),
    async open(sealed, bound) {
      if (sealed === undefined) return undefined
      const opened =
        typeof sealed === 'string' ? await codec.verify(sealed, undefined as never).catch(() => undefined) : undefined
      if (opened?.bound === JSON.stringify(bound)) return opened.state
      throw new RpcError(
        errorCode.invalidParams,
        'requestState is not valid for this call, or has expired. Call again without it.',
      )
    },
  }
}
