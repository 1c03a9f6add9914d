/** What an upstream asks its client, and the answers on their way back. */
import { HubError } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import { createSerial } from '../../base/serial.ts'
import { failureOf } from '../answer.ts'
import type { Params, RequestId, RpcMessage, RpcRequest } from '../wire.ts'
import { errorCode, failure, metaOf, notification, success, withoutMeta } from '../wire.ts'
import type { UpstreamRequest } from './upstream.ts'

export interface Asks {
  /** `owner`: the request of ours it is known to belong to. */
  run(request: RpcRequest, ask: Ask, owner: number | undefined): void
  /** The upstream does not want to know any more. False: it asked nothing under this id. */
  cancel(id: unknown): boolean
  /** The request that these belonged to is over. */
  endOf(owner: number): void
  endAll(): void
}

type Ask = NonNullable<UpstreamRequest['onAsk']>

/** Each waits for a person or a model; nobody honest has more at once. */
const maxOpen = 100

export function createAsks({ send, log }: { send(message: RpcMessage): Promise<void>; log: Log }): Asks {
  const open = new Map<RequestId, { readonly controller: AbortController; readonly owner: number | undefined }>()

  const noteUnsent = (error: unknown) => log.debug({ error }, 'an answer to an upstream was not sent')

  function reply(message: RpcMessage): void {
    send(message).catch(noteUnsent)
  }

  async function run(request: RpcRequest, ask: Ask, owner: number | undefined): Promise<void> {
    const { id, method } = request
    const { progressToken } = metaOf(request.params)
    const params = withoutMeta(request.params, 'progressToken')
    const controller = new AbortController()
    const inTurn = createSerial()
    open.set(id, { controller, owner })
    const tell = (message: RpcMessage) => void inTurn(() => send(message)).catch(noteUnsent)
    const relayProgress = (step: Params) => {
      if (open.get(id)?.controller === controller)
        tell(notification('notifications/progress', { ...step, progressToken }))
    }
    const onBug = (error: unknown) => log.error({ error, method }, 'a question of an upstream could not be answered')
    let answer: RpcMessage
    try {
      const asked = params === undefined ? { method } : { method, params }
      const onProgress = progressToken === undefined ? undefined : relayProgress
      answer = success(id, await ask(asked, controller.signal, onProgress))
    } catch (error) {
      answer = failureOf(id, error, onBug).response
    }
    if (controller.signal.aborted) return
    open.delete(id)
    tell(answer)
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
