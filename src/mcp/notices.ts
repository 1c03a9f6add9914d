/**
 * Who wants to hear of what. A change is a set entry and nothing else; the fan-out happens once per turn of the loop, so
 * thousands of subscriptions do not slow a write and many changes of one resource are one notice.
 */

import type { Meta, RpcNotification } from './wire.ts'
import { notification } from './wire.ts'

/** A resource's URI, or a list of one face. */
export type Topic = string
export type ListName = 'tools' | 'prompts' | 'resources'

export interface Notices {
  /** With a face: it changed for those who look through that one only, as what an upstream of a session has. */
  resourceChanged(uri: string, faceId?: string): void
  listChanged(list: ListName, faceId?: string): void
  /** All resources whose URI begins so change together. Made once, before anybody subscribes. */
  family(prefix: string): { changed(): void }
  subscribe(topic: Topic, subscriber: Subscriber): void
  unsubscribe(topic: Topic, subscriber: Subscriber): void
  /** What is subscribed to through a face; `onChange` hears of the first and of the last subscriber of a topic. */
  interest(faceId: string, onChange: InterestListener): Interest
  /** A notification that is no notice of ours, to all connections of a face that have a stream open. */
  tell(faceId: string, message: RpcNotification): void
  /** What changed before now is on its way to those who want to hear of it, and no crash can lose it any more. */
  settled(): Promise<void>
}

export type InterestListener = (topic: Topic, isWanted: boolean) => void

export interface Interest extends Disposable {
  /** Now. */
  readonly topics: readonly Topic[]
}

export interface Subscriber {
  /** The face its client looks through. */
  readonly faceId: string
  /** Must be cheap: note the topic, tell the client later. */
  mark(topic: Topic): void
  /** All that was marked is sent, or kept where it outlives the hub. */
  settled?(): Promise<void>
  /** Sent now or never. */
  tell?(message: RpcNotification): void
}

export const managementFaceId = 'management'
export const listNames: readonly ListName[] = ['tools', 'prompts', 'resources']

export function createNotices(): Notices {
  const subscribers = new Map<Topic, Set<Subscriber>>()
  const families = new Map<string, Set<Topic>>()
  const listeners = new Map<string, Set<InterestListener>>()
  /** With the face it changed for; `undefined`: for all. */
  const changed = new Map<Topic, Set<string | undefined>>()
  const unsettled = new Set<Promise<void>>()

  function note(topic: Topic, faceId?: string): void {
    if (!subscribers.has(topic)) return
    if (changed.size === 0) setImmediate(fanOut)
    const faces = changed.get(topic)
    if (faces) faces.add(faceId)
    else changed.set(topic, new Set([faceId]))
  }

  function fanOut(): void {
    const topics = [...changed]
    changed.clear()
    const told = new Set<Subscriber>()
    for (const [topic, faces] of topics) {
      for (const subscriber of subscribers.get(topic) ?? []) {
        if (!faces.has(undefined) && !faces.has(subscriber.faceId)) continue
        subscriber.mark(topic)
        told.add(subscriber)
      }
    }
    for (const subscriber of told) waitFor(subscriber)
  }

  function noteInterest(topic: Topic, { faceId }: Subscriber, isWanted: boolean): void {
    if (isList(topic)) return
    for (const listener of listeners.get(faceId) ?? []) listener(topic, isWanted)
  }

  function waitFor(subscriber: Subscriber): void {
    const settling = subscriber.settled?.()
    if (!settling) return
    unsettled.add(settling)
    void settling.finally(() => unsettled.delete(settling))
  }

  return {
    async settled() {
      // Behind the fan-out in the same queue, so that has run when this goes on.
      if (changed.size > 0) await new Promise((resolve) => setImmediate(resolve))
      await Promise.all(unsettled)
    },
    resourceChanged: note,
    listChanged: (list, faceId = managementFaceId) => note(listTopic(list, faceId)),
    family(prefix) {
      const members = new Set<Topic>()
      families.set(prefix, members)
      return {
        changed() {
          for (const topic of members) note(topic)
        },
      }
    },
    interest(faceId, onChange) {
      const own = listeners.get(faceId)
      if (own) own.add(onChange)
      else listeners.set(faceId, new Set([onChange]))
      const hasOfFace = (set: ReadonlySet<Subscriber>) => set.values().some((each) => each.faceId === faceId)
      return {
        get topics() {
          return [...subscribers].filter(([topic, set]) => !isList(topic) && hasOfFace(set)).map(([topic]) => topic)
        },
        [Symbol.dispose]: () => void listeners.get(faceId)?.delete(onChange),
      }
    },
    tell(faceId, message) {
      for (const subscriber of subscribers.get(listTopic('tools', faceId)) ?? []) subscriber.tell?.(message)
    },
    subscribe(topic, subscriber) {
      const set = subscribers.get(topic)
      if (isFirst(set, subscriber)) noteInterest(topic, subscriber, true)
      if (set) set.add(subscriber)
      else {
        subscribers.set(topic, new Set([subscriber]))
        for (const [prefix, members] of families) if (topic.startsWith(prefix)) members.add(topic)
      }
    },
    unsubscribe(topic, subscriber) {
      const set = subscribers.get(topic)
      if (set?.delete(subscriber) && isFirst(set, subscriber)) noteInterest(topic, subscriber, false)
      if (set?.size !== 0) return
      subscribers.delete(topic)
      for (const members of families.values()) members.delete(topic)
    },
  }
}

/** Nobody else of its face is there. */
function isFirst(set: ReadonlySet<Subscriber> | undefined, { faceId }: Subscriber): boolean {
  return set === undefined || !set.values().some((other) => other.faceId === faceId)
}

function isList(topic: Topic): boolean {
  return topic.startsWith('list:')
}

export function listTopic(list: ListName, faceId: string): Topic {
  return `list:${list}:${faceId}`
}

/** The notification that tells a client of a changed topic, the same in both eras. */
export function noticeOf(topic: Topic, meta?: Meta): RpcNotification {
  const list = /^list:(tools|prompts|resources):/.exec(topic)?.[1]
  const method = list === undefined ? 'notifications/resources/updated' : `notifications/${list}/list_changed`
  return notification(method, { ...(list === undefined && { uri: topic }), ...(meta && { _meta: meta }) })
}
