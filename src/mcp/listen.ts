/** `subscriptions/listen` of 2026-07-28: one long answer that carries the notices its filter asks for, and no others. */
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import { check } from './methods.ts'
import { createNoticeQueue } from './notice-queue.ts'
import type { ListName, Notices, Topic } from './notices.ts'
import { listTopic, noticeOf } from './notices.ts'
import type { Call } from './provider.ts'
import type { Outlet, Reply } from './reply.ts'
import type { Visit } from './visit.ts'
import type { Meta, Params, RpcRequest } from './wire.ts'
import { errorCode, metaKey, notification, RpcError, success } from './wire.ts'

export interface Listeners {
  readonly size: number
  serve(request: RpcRequest, visit: Visit, reply: Reply, call: Call): Promise<void>
  /** Tells the listeners, of one token or all, that nothing more will come. */
  closeAll(tokenId?: string): void
}

const listenParams = z.looseObject({
  notifications: z.looseObject({
    toolsListChanged: z.boolean().optional(),
    promptsListChanged: z.boolean().optional(),
    resourcesListChanged: z.boolean().optional(),
    resourceSubscriptions: z.array(z.string()).max(10_000).optional(),
  }),
})

type Filter = z.output<typeof listenParams>['notifications']

const listFields = [
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
] as const satisfies readonly (readonly [ListName, keyof Filter])[]

export function createListeners({ notices, maxPerToken }: { notices: Notices; maxPerToken: number }): Listeners {
  const open = new Map<() => void, string>()

  return {
    get size() {
      return open.size
    },
    async serve(request, visit, reply, call) {
      if (!reply.canStream)
        throw new RpcError(errorCode.invalidRequest, 'Accept text/event-stream to listen.', { status: 400 })
      const { tokenId } = visit.caller
      if ([...open.values()].filter((id) => id === tokenId).length >= maxPerToken) {
        throw new HubError('busy', `This token has ${maxPerToken} streams open, the most it may. Close one first.`)
      }
      const honoured = await honour(request.params ?? {}, visit, call)
      const outlet = reply.stream()
      const meta: Meta = { [metaKey.subscriptionId]: request.id }
      outlet.send(notification('notifications/subscriptions/acknowledged', { notifications: honoured, _meta: meta }))
      const topics = topicsOf(honoured, visit.face.id)
      const stop = deliver(topics, visit.face.id, outlet, meta)
      const close = () => {
        const result = { resultType: 'complete', _meta: { ...meta, [metaKey.serverInfo]: visit.face.info } }
        outlet.send(success(request.id, result))
        outlet.end()
      }
      // It may have left while the upstreams were asked; nobody would say so any more.
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

/** What of the wish can be kept; the client is told. */
async function honour(params: Params, { face }: Visit, call: Call): Promise<Filter> {
  const { notifications: wish } = check(listenParams, params)
  const wished = [...new Set(wish.resourceSubscriptions)]
  const watched = await Promise.allSettled(wished.map((uri) => face.watch(uri, call, { mayAsk: false })))
  const uris = wished.filter((_, index) => watched[index]?.status === 'fulfilled')
  return {
    ...Object.fromEntries(listFields.flatMap(([, field]) => (wish[field] ? [[field, true]] : []))),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}

function topicsOf(filter: Filter, faceId: string): readonly Topic[] {
  const lists = listFields.flatMap(([list, field]) => (filter[field] ? [listTopic(list, faceId)] : []))
  return [...lists, ...(filter.resourceSubscriptions ?? [])]
}
