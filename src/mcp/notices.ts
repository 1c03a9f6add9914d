/**
 * Subscriptions to topics. A change only adds an entry to a set. The fan-out runs once per turn of the event loop, so
 * thousands of subscriptions do not slow a write, and many changes of one resource are one notice.
 */

import type { Meta, RpcNotification } from './wire.ts'
import { notification } from './wire.ts'

/**
 * The target of a subscription, seen through the face of the subscriber. A resource of an upstream and a resource of
 * the hub with the same URI are different topics.
 */
export type Topic =
  | { readonly kind: 'list'; readonly list: ListName }
  | { readonly kind: 'hub' | 'upstream'; readonly uri: string }
export type ListName = 'tools' | 'prompts' | 'resources'

export interface Notices {
  /** A resource of the hub changed. With `faceId`: it changed only for subscribers of that face. */
  resourceChanged(uri: string, faceId?: string): void
  /** A resource of an upstream changed. Only the clients of one face can see it. */
  upstreamResourceChanged(uri: string, faceId: string): void
  listChanged(list: ListName, faceId?: string): void
  /** The hub's resources whose URI has this prefix change together. Create a family before the first subscription. */
  family(prefix: string): { changed(): void }
  subscribe(topic: Topic, subscriber: Subscriber): void
  unsubscribe(topic: Topic, subscriber: Subscriber): void
  /**
   * The upstream resources that clients of a face follow. `onChange` is called for the first and the last subscriber of
   * each.
   */
  interest(faceId: string, onChange: InterestListener): Interest
  /** Sends another notification to all connections of a face that have a stream open. */
  broadcast(faceId: string, message: RpcNotification): void
  /** Resolves when all earlier changes are sent or stored for their subscribers, so that no crash can lose them. */
  settled(): Promise<void>
}

export type InterestListener = (uri: string, isWanted: boolean) => void

export interface Interest extends Disposable {
  /** The resources that are followed now. */
  readonly uris: readonly string[]
}

export interface Subscriber {
  /** The face of its client. */
  readonly faceId: string
  /** Must be cheap: note the topic, and notify the client later. */
  mark(topic: Topic): void
  /** Resolves when all marked topics are sent, or stored so that they survive the hub. */
  settled?(): Promise<void>
  /** Sends the message now, or drops it. */
  send?(message: RpcNotification): void
}

export const managementFaceId = 'management'
export const listNames: readonly ListName[] = ['tools', 'prompts', 'resources']

interface Entry {
  readonly topic: Topic
  readonly subscribers: Set<Subscriber>
}

export function createNotices(): Notices {
  const entries = new Map<string, Entry>()
  const families = new Map<string, Set<Entry>>()
  const listeners = new Map<string, Set<InterestListener>>()
  /** The faces for which each entry changed. `undefined`: for all. */
  const changed = new Map<Entry, Set<string | undefined>>()
  const unsettled = new Set<Promise<void>>()

  function note(entry: Entry | undefined, faceId?: string): void {
    if (!entry) return
    if (changed.size === 0) setImmediate(fanOut)
    const faces = changed.get(entry)
    if (faces) faces.add(faceId)
    else changed.set(entry, new Set([faceId]))
  }

  function fanOut(): void {
    const noted = [...changed]
    changed.clear()
    const marked = new Set<Subscriber>()
    for (const [{ topic, subscribers }, faces] of noted) {
      for (const subscriber of subscribers) {
        if (!faces.has(undefined) && !faces.has(subscriber.faceId)) continue
        subscriber.mark(topic)
        marked.add(subscriber)
      }
    }
    for (const subscriber of marked) waitFor(subscriber)
  }

  function noteInterest(topic: Topic, { faceId }: Subscriber, isWanted: boolean): void {
    if (topic.kind !== 'upstream') return
    for (const listener of listeners.get(faceId) ?? []) listener(topic.uri, isWanted)
  }

  function waitFor(subscriber: Subscriber): void {
    const settling = subscriber.settled?.()
    if (!settling) return
    unsettled.add(settling)
    void settling.finally(() => unsettled.delete(settling))
  }

  return {
    async settled() {
      // This runs after the fan-out, which is earlier in the same queue.
      if (changed.size > 0) await new Promise((resolve) => setImmediate(resolve))
      await Promise.all(unsettled)
    },
    resourceChanged: (uri, faceId) => note(entries.get(keyOf({ kind: 'hub', uri }, '')), faceId),
    upstreamResourceChanged: (uri, faceId) => note(entries.get(keyOf({ kind: 'upstream', uri }, faceId)), faceId),
    listChanged: (list, faceId = managementFaceId) => note(entries.get(keyOf({ kind: 'list', list }, faceId)), faceId),
    family(prefix) {
      const members = new Set<Entry>()
      families.set(prefix, members)
      return {
        changed() {
          for (const entry of members) note(entry)
        },
      }
    },
    interest(faceId, onChange) {
      const own = listeners.get(faceId)
      if (own) own.add(onChange)
      else listeners.set(faceId, new Set([onChange]))
      const isOfFace = (each: Subscriber) => each.faceId === faceId
      return {
        get uris() {
          return [...entries.values()].flatMap(({ topic, subscribers }) =>
            topic.kind === 'upstream' && subscribers.values().some(isOfFace) ? [topic.uri] : [],
          )
        },
        [Symbol.dispose]: () => void listeners.get(faceId)?.delete(onChange),
      }
    },
    broadcast(faceId, message) {
      const entry = entries.get(keyOf({ kind: 'list', list: 'tools' }, faceId))
      for (const subscriber of entry?.subscribers ?? []) subscriber.send?.(message)
    },
    subscribe(topic, subscriber) {
      const key = keyOf(topic, subscriber.faceId)
      const known = entries.get(key)
      if (known) return void known.subscribers.add(subscriber)
      const entry = { topic, subscribers: new Set([subscriber]) }
      entries.set(key, entry)
      for (const [prefix, members] of families)
        if (topic.kind === 'hub' && topic.uri.startsWith(prefix)) members.add(entry)
      noteInterest(topic, subscriber, true)
    },
    unsubscribe(topic, subscriber) {
      const key = keyOf(topic, subscriber.faceId)
      const entry = entries.get(key)
      if (!entry?.subscribers.delete(subscriber) || entry.subscribers.size > 0) return
      entries.delete(key)
      for (const members of families.values()) members.delete(entry)
      noteInterest(topic, subscriber, false)
    },
  }
}

/**
 * A resource of the hub is the same on every face. Other topics belong to one face. JSON, so that no URI can imitate
 * another key.
 */
function keyOf(topic: Topic, faceId: string): string {
  if (topic.kind === 'hub') return JSON.stringify(['hub', topic.uri])
  return JSON.stringify([topic.kind, faceId, topic.kind === 'list' ? topic.list : topic.uri])
}

/** The notification for a changed topic, the same in both eras. */
export function noticeOf(topic: Topic, meta?: Meta): RpcNotification {
  const withMeta = meta && { _meta: meta }
  if (topic.kind === 'list') return notification(`notifications/${topic.list}/list_changed`, { ...withMeta })
  return notification('notifications/resources/updated', { uri: topic.uri, ...withMeta })
}
