/** What an upstream asks its client, and the answers on their way back. */
import { HubError } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import { failureOf } from '../answer.ts'
import type { RequestId, RpcMessage, RpcRequest } from '../wire.ts'
import { errorCode, failure, success } from '../wire.ts'
import type { AnyRequest } from './upstream.ts'

export interface Asks {
  /** `owner`: the request of ours it is known to belong to. */
  run(request: RpcRequest, ask: Ask, owner: number | undefined): void
  /** The upstream does not want to know any more. False: it asked nothing under this id. */
  cancel(id: unknown): boolean
  /** The request that these belonged to is over. */
  endOf(owner: number): void
  endAll(): void
}

type Ask = (request: AnyRequest, signal: AbortSignal) => Promise<object>

/** Each waits for a person or a model; nobody honest has more at once. */
const maxOpen = 100

export function createAsks({ send, log }: { send(message: RpcMessage): Promise<void>; log: Log }): Asks {
  const open = new Map<RequestId, { readonly controller: AbortController; readonly owner: number | undefined }>()

  function reply(message: RpcMessage): void {
    send(message).catch((error: unknown) => log.debug({ error }, 'an answer to an upstream was not sent'))
  }

  async function run(request: RpcRequest, ask: Ask, owner: number | undefined): Promise<void> {
    const { id, method, params } = request
    const controller = new AbortController()
    open.set(id, { controller, owner })
    const onBug = (error: unknown) => log.error({ error, method }, 'a question of an upstream could not be answered')
    let answer: RpcMessage
    try {
      answer = success(id, await ask(params === undefined ? { method } : { method, params }, controller.signal))
    } catch (error) {
      answer = failureOf(id, error, onBug).response
    }
    if (controller.signal.aborted) return
    open.delete(id)
    reply(answer)
  }

  function end(id: RequestId): boolean {
    open.get(id)?.controller.abort()
    return open.delete(id)
  }

  return {
    run(request, ask, owner) {
      const { id, method } = request
      if (method === 'ping') return reply(success(id, {}))
      if (open.has(id))
        return reply(failure(id, { code: errorCode.invalidRequest, message: `The id ${id} is in use.` }))
      if (open.size >= maxOpen) {
        return reply(
          failureOf(id, new HubError('busy', `At most ${maxOpen} questions may be open at once.`), () => {}).response,
        )
      }
      void run(request, ask, owner)
    },
    cancel: (id) => (typeof id === 'string' || typeof id === 'number') && end(id),
    endOf(owner) {
      if (open.size === 0) return
      for (const [id, one] of open) if (one.owner === owner) end(id)
    },
    endAll() {
      for (const id of open.keys()) end(id)
    },
  }
}
