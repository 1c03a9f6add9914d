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
  resourceChanged(uri: string): void
  listChanged(list: ListName, faceId?: string): void
  /** All resources whose URI begins so change together. Made once, before anybody subscribes. */
  family(prefix: string): { changed(): void }
  subscribe(topic: Topic, subscriber: Subscriber): void
  unsubscribe(topic: Topic, subscriber: Subscriber): void
  /** What changed before now is on its way to those who want to hear of it, and no crash can lose it any more. */
  settled(): Promise<void>
}

export interface Subscriber {
  /** Must be cheap: note the topic, tell the client later. */
  mark(topic: Topic): void
  /** All that was marked is sent, or kept where it outlives the hub. */
  settled?(): Promise<void>
}

export const managementFaceId = 'management'
export const listNames: readonly ListName[] = ['tools', 'prompts', 'resources']

export function createNotices(): Notices {
  const subscribers = new Map<Topic, Set<Subscriber>>()
  const families = new Map<string, Set<Topic>>()
  const changed = new Set<Topic>()
  const unsettled = new Set<Promise<void>>()

  function note(topic: Topic): void {
    if (!subscribers.has(topic)) return
    if (changed.size === 0) setImmediate(fanOut)
    changed.add(topic)
  }

  function fanOut(): void {
    const topics = [...changed]
    changed.clear()
    const told = new Set<Subscriber>()
    for (const topic of topics) {
      for (const subscriber of subscribers.get(topic) ?? []) {
        subscriber.mark(topic)
        told.add(subscriber)
      }
    }
    for (const subscriber of told) waitFor(subscriber)
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
    subscribe(topic, subscriber) {
      const set = subscribers.get(topic)
      if (set) set.add(subscriber)
      else {
        subscribers.set(topic, new Set([subscriber]))
        for (const [prefix, members] of families) if (topic.startsWith(prefix)) members.add(topic)
      }
    },
    unsubscribe(topic, subscriber) {
      const set = subscribers.get(topic)
      set?.delete(subscriber)
      if (set?.size !== 0) return
      subscribers.delete(topic)
      for (const members of families.values()) members.delete(topic)
    },
  }
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
