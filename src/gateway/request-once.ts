/** Sends one request to an upstream of its own, which is closed afterwards. */
import { messageOf } from '../base/hub-error.ts'
import type { Params, ProgressListener } from '../mcp/mcp.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'
import { createTrialListener, type TrialOptions } from './try-upstream.ts'

export interface RequestOnceOptions {
  readonly signal: AbortSignal
  readonly onProgress?: ProgressListener
}

/** Questions of the upstream are refused: the person who makes the request has no client that could answer. */
export function createRequestOnce({ upstreams, logins }: Pick<TrialOptions, 'upstreams' | 'logins'>) {
  return async (target: UpstreamTarget, method: string, params: Params, options: RequestOnceOptions) => {
    const listener = createTrialListener(target)
    const upstream = upstreams.open(target, listener)
    try {
      const request = { ...options, client: { capabilities: {} }, isSafe: false }
      const onAsk = (asked: { readonly method: string }) => listener.ask(asked, options.signal)
      return { result: await upstream.request(method, params, { ...request, onAsk }) }
    } catch (error) {
      options.signal.throwIfAborted()
      const address = logins.pending(target.name)
      if (address !== undefined) return { error: `A person has to log in first: open ${address}`, stderr: '' }
      return { error: messageOf(error), stderr: upstream.stderr }
    } finally {
      // Some programs take seconds to end. The answer does not wait for that.
      void upstream[Symbol.asyncDispose]()
    }
  }
}
