/** `subscriptions/listen` of 2026-07-28: a streamed answer with only the notices that its filter asks for. */
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import type { Call, ListName, Meta, Notices, RpcRequest, Topic } from '../mcp/mcp.ts'
import { errorCode, metaKey, noticeOf, notification, RpcError, success, uriText } from '../mcp/mcp.ts'
import { check } from './methods.ts'
import { createNoticeQueue } from './notice-queue.ts'
import type { Outlet, Reply } from './reply.ts'
import type { SubscriptionQuota } from './subscription-quota.ts'
import type { RequestContext } from './request-context.ts'

export interface Listeners {
  readonly size: number
  serve(request: RpcRequest, context: RequestContext, reply: Reply, call: Call): Promise<void>
  /** Ends the listeners of one token, or all, with their final answer. */
  closeAll(tokenId?: string): void
}

const listenParams = z.looseObject({
  notifications: z.looseObject({
    toolsListChanged: z.boolean().optional(),
    promptsListChanged: z.boolean().optional(),
    resourcesListChanged: z.boolean().optional(),
    resourceSubscriptions: z.array(uriText).max(10_000).optional(),
  }),
})

type Filter = z.output<typeof listenParams>['notifications']

const listFields = [
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
] as const satisfies readonly (readonly [ListName, keyof Filter])[]

export interface ListenersOptions {
  readonly notices: Notices
  readonly quota: SubscriptionQuota
  readonly maxPerToken: number
}

export function createListeners({ notices, quota, maxPerToken }: ListenersOptions): Listeners {
  const open = new Map<() => void, string>()
  /** The token of each stream, including streams that are not open yet. */
  const reserved = new Map<symbol, string>()

  /** Counts a stream and its resources. Returns the function that releases them. */
  function reserve({ caller }: RequestContext, resources: number): () => void {
    if ([...reserved.values()].filter((id) => id === caller.tokenId).length >= maxPerToken) {
      throw new HubError('busy', `This token has ${maxPerToken} streams open, which is the limit. Close one first.`)
    }
    quota.take(caller, resources)
    const reservation = Symbol()
    reserved.set(reservation, caller.tokenId)
    return () => {
      if (reserved.delete(reservation)) quota.release(caller, resources)
    }
  }

  return {
    get size() {
      return open.size
    },
    async serve(request, context, reply, call) {
      if (!reply.canStream)
        throw new RpcError(
          errorCode.invalidRequest,
          'subscriptions/listen answers with a stream. Accept text/event-stream.',
          { status: 400 },
        )
      const { tokenId } = context.caller
      const { notifications: filter } = check(listenParams, request.params ?? {})
      const uris = [...new Set(filter.resourceSubscriptions)]
      const leave = reserve(context, uris.length)
      const watched = await Promise.allSettled(uris.map((uri) => context.face.watch(uri, call, { mayAsk: false })))
      const resources = watched.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      const topics = [...listTopicsOf(filter), ...resources]
      const outlet = reply.stream()
      const meta: Meta = { [metaKey.subscriptionId]: request.id }
      const honoured = filterOf(topics)
      outlet.send(notification('notifications/subscriptions/acknowledged', { notifications: honoured, _meta: meta }))
      const unsubscribe = deliver(topics, context.face.id, outlet, meta)
      const stop = () => {
        unsubscribe()
        leave()
      }
      const close = () => {
        const result = { resultType: 'complete', _meta: { ...meta, [metaKey.serverInfo]: context.face.info } }
        outlet.send(success(request.id, result))
        outlet.end()
      }
      // The client may have left while the upstreams were asked. Its close event has then already passed.
      if (call.signal.aborted) return stop()
      open.set(close, tokenId)
      outlet.onClose(() => {
        stop()
        open.delete(close)
      })
      if (topics.length === 0) close()
    },
    closeAll(tokenId) {
      for (const [close, owner] of open) if (tokenId === undefined || owner === tokenId) close()
    },
  }

  function deliver(topics: readonly Topic[], faceId: string, outlet: Outlet, meta: Meta): () => void {
    const queue = createNoticeQueue({
      faceId,
      isReady: () => outlet.isOpen && outlet.isReady,
      deliver: (changed) => {
        for (const topic of changed) outlet.send(noticeOf(topic, meta))
      },
    })
    outlet.onDrain(queue.flush)
    for (const topic of topics) notices.subscribe(topic, queue)
    return () => {
      for (const topic of topics) notices.unsubscribe(topic, queue)
    }
  }
}

function listTopicsOf(filter: Filter): readonly Topic[] {
  return listFields.flatMap(([list, field]) => (filter[field] ? [{ kind: 'list', list } as const] : []))
}

/** The part of the filter that the hub honours. The acknowledgement reports it to the client. */
function filterOf(topics: readonly Topic[]): Filter {
  const lists = new Set(topics.flatMap((topic) => (topic.kind === 'list' ? [topic.list] : [])))
  const uris = topics.flatMap((topic) => (topic.kind === 'list' ? [] : [topic.uri]))
  return {
    ...Object.fromEntries(listFields.flatMap(([list, field]) => (lists.has(list) ? [[field, true]] : []))),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}
