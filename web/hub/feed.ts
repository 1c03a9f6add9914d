/**
 * Notices of changed resources, for everything that the page shows, and whether the hub is connected.
 *
 * One stream serves all tabs: a browser opens only six connections to one server, and each visible terminal needs one.
 * The tab with the lock listens for all and passes the notices on. When it closes or is hidden, the next tab takes over.
 */
import type { Notice } from '../../src/client/client.ts'
import { createBackoff } from './backoff.ts'
import { CallFailure, isLost } from './failure.ts'
import { type Store, createStore } from './store.ts'
import { whenVisible } from './tab-visibility.ts'

export type Link =
  | { readonly is: 'connecting' }
  | { readonly is: 'live' }
  /** Times in milliseconds since 1970. */
  | { readonly is: 'lost'; readonly since: number; readonly nextTryAt: number }

export interface Feed {
  readonly link: Store<Link>
  /** Calls `onNotice` after a change of one of the resources, and when changes may have gone unnoticed. */
  watch(uris: readonly string[], onNotice: () => void): () => void
  /** Ends the wait before the next try. */
  tryNow(): void
}

export interface FeedOptions {
  readonly signal: AbortSignal
  readonly listen: Listen
}

/** Resolves when the hub ends the stream. */
export type Listen = (uris: readonly string[], onNotice: (notice: Notice) => void, signal: AbortSignal) => Promise<void>

/** Between tabs. `wants` says what a tab shows, and `who` asks the other tabs to say it again. */
type Message =
  | { readonly is: 'wants'; readonly tab: string; readonly uris: readonly string[] }
  | { readonly is: 'who' }
  | { readonly is: 'changed'; readonly uris: readonly string[] }
  | { readonly is: 'link'; readonly link: Link }

/** Every view shows these. */
const always = ['resource://sessions', 'resource://approvals/pending']
/** A stream that lasted this long resets the backoff. */
const stableAfterMs = 10_000
/** Parts of the page that appear together are subscribed together. */
const gatherMs = 30

interface Watcher {
  readonly uris: readonly string[]
  onNotice(): void
}

export function createFeed({ signal, listen }: FeedOptions): Feed {
  const tab = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join('')
  const link = createStore<Link>({ is: 'connecting' })
  const watchers = new Set<Watcher>()
  /** The resources that the other tabs show. */
  const others = new Map<string, readonly string[]>()
  const backoff = createBackoff()
  const channel = new BroadcastChannel('signalbox-notices')
  let isLeader = false
  let onWanted = () => {}

  const wanted = () => new Set([...always, ...[...watchers].flatMap(({ uris }) => uris)])
  const wantedByAll = () => new Set([...wanted(), ...[...others.values()].flat()])
  const post = (message: Message) => channel.postMessage(message)
  const announce = () => post({ is: 'wants', tab, uris: [...wanted()] })

  function notify(uris: ReadonlySet<string>): void {
    for (const watcher of watchers) if (watcher.uris.some((uri) => uris.has(uri))) watcher.onNotice()
  }

  function setLink(next: Link): void {
    link.set(next)
    if (isLeader) post({ is: 'link', link: next })
  }

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    switch (data.is) {
      case 'wants':
        others.set(data.tab, data.uris)
        if (isLeader) post({ is: 'link', link: link.get() })
        return onWanted()
      case 'who':
        return announce()
      case 'changed':
        // A hidden tab makes no requests. It reads everything when it is shown.
        return document.hidden ? undefined : notify(new Set(data.uris))
      case 'link':
        if (!isLeader) link.set(data.link)
    }
  })

  let gathering: ReturnType<typeof setTimeout> | undefined
  function gather(): void {
    clearTimeout(gathering)
    gathering = setTimeout(() => {
      announce()
      onWanted()
    }, gatherMs)
  }

  /** Listens for all tabs until the stream ends. A new stream replaces the old one when it is acknowledged. */
  async function lead(until: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<never>()
    const all = new AbortController()
    const stop = AbortSignal.any([until, all.signal])
    let current: { readonly uris: ReadonlySet<string>; readonly end: AbortController } | undefined
    let asked: ReadonlySet<string> = new Set()

    function subscribe(): void {
      const uris = wantedByAll()
      if (current && [...uris].every((uri) => asked.has(uri))) return
      asked = uris
      const end = new AbortController()
      const onNotice = ({ method, params }: Notice) => {
        if (method === 'notifications/subscriptions/acknowledged') {
          const known = current?.uris ?? new Set()
          current?.end.abort()
          current = { uris, end }
          if (link.get().is !== 'live') setLink({ is: 'live' })
          tell([...uris].filter((uri) => !known.has(uri)))
        } else if (method === 'notifications/resources/updated') tell([String(params['uri'])])
      }
      listen([...uris], onNotice, AbortSignal.any([stop, end.signal]))
        .then(() => {
          throw new CallFailure('lost', 'The hub is stopping.')
        })
        .catch((error: unknown) => {
          if (!end.signal.aborted) over.reject(error)
        })
    }
    function tell(uris: readonly string[]): void {
      if (uris.length === 0) return
      notify(new Set(uris))
      post({ is: 'changed', uris })
    }

    isLeader = true
    onWanted = subscribe
    post({ is: 'who' })
    subscribe()
    try {
      await over.promise
    } finally {
      isLeader = false
      onWanted = () => {}
      all.abort()
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const visible = await whenVisible(signal)
      if (signal.aborted) return
      const begun = performance.now()
      try {
        announce()
        notify(wanted())
        // Without a secure connection the browser has no locks, and each tab listens for itself.
        if (navigator.locks) {
          await navigator.locks.request('signalbox-notices', { signal: visible }, () => lead(visible))
        } else await lead(visible)
      } catch (error) {
        if (visible.aborted) continue
        if (!isLost(error)) return
        if (performance.now() - begun > stableAfterMs) backoff.reset()
        const before = link.get()
        const since = before.is === 'lost' ? before.since : Date.now()
        await backoff.wait(signal, (ms) => {
          link.set({ is: 'lost', since, nextTryAt: Date.now() + ms })
          post({ is: 'link', link: link.get() })
        })
      }
    }
  }
  void run().finally(() => {
    post({ is: 'wants', tab, uris: [] })
    channel.close()
  })

  return {
    link,
    tryNow: () => backoff.hurry(),
    watch(uris, onNotice) {
      const watcher = { uris, onNotice }
      watchers.add(watcher)
      gather()
      return () => {
        watchers.delete(watcher)
        gather()
      }
    },
  }
}
