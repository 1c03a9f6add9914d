/** Runs the requests that an upstream sends to its client, and sends the answers back. */
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { isReturnable, tooLongToReturn } from '../base/returned-text.ts'
import { createSerial } from '../base/serial.ts'
import type { Params, RequestId, RpcMessage, RpcRequest } from '../mcp/mcp.ts'
import { errorCode, failure, failureOf, isRecord, metaOf, notification, success, withoutMeta } from '../mcp/mcp.ts'
import type { UpstreamQuestions } from './question-budget.ts'
import type { UpstreamRequest } from './upstream-types.ts'

export interface ClientRequests {
  /** `owner`: our request that this one belongs to, if known. */
  run(request: RpcRequest, ask: Ask, owner: number | undefined): void
  /** The upstream cancels its request. Returns false if it has no open request with this id. */
  cancel(id: unknown): boolean
  /** Our request that these belong to has ended. */
  endOf(owner: number): void
  /** No request of ours runs that the questions without an owner could belong to. */
  endOrphans(): void
  endAll(): void
}

interface OpenRequest {
  readonly controller: AbortController
  readonly method: string
  readonly owner: number | undefined
}

type Ask = NonNullable<UpstreamRequest['onAsk']>

/** Each one waits for a person or a model. A well-behaved upstream never has this many at once. */
const maxOpen = 100
/** Answers that the upstream has not accepted yet. An upstream that asks but does not read gets no more answers. */
const maxUnsent = 1_000

const longId = tooLongToReturn('The id of a request')
const longToken = tooLongToReturn('A progress token')

export function createClientRequests({
  send,
  log,
  budget,
}: {
  send(message: RpcMessage): Promise<void>
  log: Log
  budget: UpstreamQuestions
}): ClientRequests {
  const open = new Map<RequestId, OpenRequest>()

  const logUnsent = (error: unknown) => log.debug({ error }, 'an answer to an upstream was not sent')

  const logBug = (method: string) => (error: unknown) =>
    log.error({ error, method }, 'a request of an upstream could not be answered')

  let unsent = 0
  /** Withdrawn questions count until they are gone. */
  let running = 0

  async function sendLimited(message: RpcMessage): Promise<void> {
    if (unsent >= maxUnsent) return
    unsent++
    await send(message).finally(() => unsent--)
  }

  function reply(message: RpcMessage): void {
    sendLimited(message).catch(logUnsent)
  }

  async function run(request: RpcRequest, ask: Ask, owner: number | undefined): Promise<void> {
    const { id, method } = request
    using _ = enter(request)
    const { progressToken } = metaOf(request.params)
    const params = withoutMeta(request.params ?? undefined, 'progressToken')
    const controller = new AbortController()
    const inTurn = createSerial()
    open.set(id, { controller, method, owner })
    const sendInOrder = (message: RpcMessage) => void inTurn(() => sendLimited(message)).catch(logUnsent)
    const relayProgress = (step: Params) => {
      if (open.get(id)?.controller === controller)
        sendInOrder(notification('notifications/progress', { ...step, progressToken }))
    }
    let answer: RpcMessage
    try {
      const asked = params === undefined ? { method } : { method, params }
      const onProgress = progressToken === undefined ? undefined : relayProgress
      answer = success(id, await ask(asked, controller.signal, onProgress))
    } catch (error) {
      answer = failureOf(id, error, logBug(method)).response
    }
    if (controller.signal.aborted) return
    open.delete(id)
    sendInOrder(answer)
  }

  /** Throws if the upstream has too much open. */
  function enter(request: RpcRequest): Disposable {
    if (running >= maxOpen) throw new HubError('busy', `At most ${maxOpen} requests may be open at once.`)
    const held = budget.take(request)
    running++
    return {
      [Symbol.dispose]() {
        running--
        held[Symbol.dispose]()
      },
    }
  }

  function end(id: RequestId): boolean {
    open.get(id)?.controller.abort()
    return open.delete(id)
  }

  return {
    run(request, ask, owner) {
      const { id, method, params } = request
      if (!isReturnable(id)) return reply(failure(null, { code: errorCode.invalidRequest, message: longId }))
      if (method === 'ping') return reply(success(id, {}))
      if (open.has(id))
        return reply(failure(id, { code: errorCode.invalidRequest, message: `The id ${id} is in use.` }))
      // Nothing has checked them yet. Code that copies the fields of a long text makes one for each of its characters.
      if ((params ?? undefined) !== undefined && !isRecord(params))
        return reply(failure(id, { code: errorCode.invalidParams, message: '"params" must be an object.' }))
      if (!isReturnable(metaOf(params)['progressToken']))
        return reply(failure(id, { code: errorCode.invalidParams, message: longToken }))
      run(request, ask, owner).catch((error: unknown) => reply(failureOf(id, error, logBug(method)).response))
    },
    cancel: (id) => (typeof id === 'string' || typeof id === 'number') && end(id),
    endOf(owner) {
      if (open.size === 0) return
      for (const [id, one] of open) if (one.owner === owner) end(id)
    },
    endOrphans() {
      for (const [id, { owner, method }] of open) {
        // Roots belong to no call, and the hub answers without a person.
        if (owner !== undefined || method === 'roots/list') continue
        end(id)
        reply(failure(id, { code: errorCode.cancelled, message: 'The call of this question has ended.' }))
      }
    },
    endAll() {
      for (const id of open.keys()) end(id)
    },
  }
}
