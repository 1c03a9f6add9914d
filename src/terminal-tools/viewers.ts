/**
 * The viewers of a terminal, and which one of them types. The others read along until they take over.
 *
 * A viewer is present while it reads output, and for a grace period after that. A viewer that leaves loses the input.
 */
import { HubError } from '../base/hub-error.ts'

export interface Viewers {
  /** The viewer reads output until this is disposed of. */
  enter(session: string, viewer: string): Disposable
  isWatched(session: string): boolean
  /** The viewer that types. */
  writerOf(session: string): string | undefined
  claim(session: string, viewer: string, options: { readonly takeOver: boolean }): Claim
  /** Frees the input if this viewer has it. */
  giveBack(session: string, viewer: string): void
  /** Throws if another viewer types. */
  assertMayWrite(session: string, viewer: string): void
  /** Called when a viewer came, left, or took over. Returns a function that unsubscribes. */
  onChange(session: string, listener: () => void): () => void
  /** The last news that a present viewer got, so that it does not miss changes between two reads. */
  lastNewsOf(session: string, viewer: string): string | undefined
  setLastNews(session: string, viewer: string, news: string): void
}

export interface Claim {
  readonly granted: boolean
  readonly writer: string
}

interface Viewer {
  polls: number
  leaving: NodeJS.Timeout | undefined
  lastNews: string | undefined
}

interface Audience {
  readonly viewers: Map<string, Viewer>
  readonly listeners: Set<() => void>
  writer: string | undefined
}

/** `graceMs`: how long a viewer counts as present after its last read. */
export function createViewers({ graceMs = 15_000 }: { readonly graceMs?: number } = {}): Viewers {
  const audiences = new Map<string, Audience>()

  function audienceOf(session: string): Audience {
    let audience = audiences.get(session)
    if (!audience) audiences.set(session, (audience = { viewers: new Map(), listeners: new Set(), writer: undefined }))
    return audience
  }

  /** Forgets a session without viewers and listeners. */
  function deleteIfEmpty(session: string, audience: Audience): void {
    const isEmpty = audience.viewers.size === 0 && audience.listeners.size === 0
    if (isEmpty && audiences.get(session) === audience) audiences.delete(session)
  }

  function notifyAll({ listeners }: Audience): void {
    for (const listener of listeners) listener()
  }

  /** Marks a viewer as present, and starts its grace period if it does not read right now. */
  function markPresent(session: string, name: string): Viewer {
    const audience = audienceOf(session)
    let viewer = audience.viewers.get(name)
    if (!viewer) {
      audience.viewers.set(name, (viewer = { polls: 0, leaving: undefined, lastNews: undefined }))
      notifyAll(audience)
    }
    clearTimeout(viewer.leaving)
    if (viewer.polls === 0) viewer.leaving = setTimeout(() => remove(session, name), graceMs).unref()
    return viewer
  }

  function remove(session: string, name: string): void {
    const audience = audienceOf(session)
    audience.viewers.delete(name)
    if (audience.writer === name) audience.writer = undefined
    notifyAll(audience)
    deleteIfEmpty(session, audience)
  }

  function claim(session: string, name: string, { takeOver }: { readonly takeOver: boolean }): Claim {
    markPresent(session, name)
    const audience = audienceOf(session)
    const before = audience.writer
    if (before === undefined || takeOver) audience.writer = name
    if (audience.writer !== before) notifyAll(audience)
    return { granted: audience.writer === name, writer: audience.writer ?? name }
  }

  return {
    enter(session, name) {
      const viewer = markPresent(session, name)
      clearTimeout(viewer.leaving)
      viewer.polls++
      return {
        [Symbol.dispose]() {
          viewer.polls--
          markPresent(session, name)
        },
      }
    },
    isWatched: (session) => (audiences.get(session)?.viewers.size ?? 0) > 0,
    writerOf: (session) => audiences.get(session)?.writer,
    claim,
    giveBack(session, name) {
      const audience = audiences.get(session)
      if (audience?.writer !== name) return
      audience.writer = undefined
      notifyAll(audience)
    },
    assertMayWrite(session, name) {
      const writer = audiences.get(session)?.writer
      if (writer === undefined || writer === name) return
      throw new HubError(
        'conflict',
        `"${writer}" is typing, so nothing was done. Read along, or take over: claim_input with take_over true.`,
        { data: { writer } },
      )
    },
    onChange(session, listener) {
      const audience = audienceOf(session)
      audience.listeners.add(listener)
      return () => {
        audience.listeners.delete(listener)
        deleteIfEmpty(session, audience)
      }
    },
    lastNewsOf: (session, name) => audiences.get(session)?.viewers.get(name)?.lastNews,
    setLastNews(session, name, news) {
      markPresent(session, name).lastNews = news
    },
  }
}
