/**
 * Who is watching a terminal, and which one of them types. The others read along, until they take over.
 *
 * A viewer is present as long as it asks for output, and a while longer; one that is no longer present holds nothing.
 */
import { HubError } from '../base/hub-error.ts'

export interface Viewers {
  /** It asks for output, until this is disposed of. */
  enter(session: string, viewer: string): Disposable
  isWatched(session: string): boolean
  /** The one who types. */
  writerOf(session: string): string | undefined
  claim(session: string, viewer: string, options: { readonly takeOver: boolean }): Claim
  /** Throws where another one types. */
  assertMayWrite(session: string, viewer: string): void
  /** Somebody came, left, or took over. Returns the way to stop. */
  onChange(session: string, listener: () => void): () => void
  /** What a present viewer was told last, so that what changes between two of its questions is not missed. */
  toldTo(session: string, viewer: string): string | undefined
  tell(session: string, viewer: string, news: string): void
}

export interface Claim {
  readonly granted: boolean
  readonly writer: string
}

interface Viewer {
  polls: number
  leaving: NodeJS.Timeout | undefined
  told: string | undefined
}

interface Audience {
  readonly viewers: Map<string, Viewer>
  readonly listeners: Set<() => void>
  writer: string | undefined
}

/** `graceMs`: how long after its last question a viewer still counts as present. */
export function createViewers({ graceMs = 15_000 }: { readonly graceMs?: number } = {}): Viewers {
  const audiences = new Map<string, Audience>()

  function audienceOf(session: string): Audience {
    let audience = audiences.get(session)
    if (!audience) audiences.set(session, (audience = { viewers: new Map(), listeners: new Set(), writer: undefined }))
    return audience
  }

  /** An audience of nobody, to which nobody listens, is forgotten. */
  function tidy(session: string, audience: Audience): void {
    const isEmpty = audience.viewers.size === 0 && audience.listeners.size === 0
    if (isEmpty && audiences.get(session) === audience) audiences.delete(session)
  }

  function tellAll({ listeners }: Audience): void {
    for (const listener of listeners) listener()
  }

  /** Marks it as present. */
  function meet(session: string, name: string): Viewer {
    const audience = audienceOf(session)
    let viewer = audience.viewers.get(name)
    if (!viewer) {
      audience.viewers.set(name, (viewer = { polls: 0, leaving: undefined, told: undefined }))
      tellAll(audience)
    }
    clearTimeout(viewer.leaving)
    if (viewer.polls === 0) viewer.leaving = setTimeout(() => part(session, name), graceMs).unref()
    return viewer
  }

  function part(session: string, name: string): void {
    const audience = audienceOf(session)
    audience.viewers.delete(name)
    if (audience.writer === name) audience.writer = undefined
    tellAll(audience)
    tidy(session, audience)
  }

  function claim(session: string, name: string, { takeOver }: { readonly takeOver: boolean }): Claim {
    meet(session, name)
    const audience = audienceOf(session)
    const before = audience.writer
    if (before === undefined || takeOver) audience.writer = name
    if (audience.writer !== before) tellAll(audience)
    return { granted: audience.writer === name, writer: audience.writer ?? name }
  }

  return {
    enter(session, name) {
      const viewer = meet(session, name)
      clearTimeout(viewer.leaving)
      viewer.polls++
      return {
        [Symbol.dispose]() {
          viewer.polls--
          meet(session, name)
        },
      }
    },
    isWatched: (session) => (audiences.get(session)?.viewers.size ?? 0) > 0,
    writerOf: (session) => audiences.get(session)?.writer,
    claim,
    assertMayWrite(session, name) {
      const writer = audiences.get(session)?.writer
      if (writer === undefined || writer === name) return
      throw new HubError(
        'conflict',
        `Nothing was done: "${writer}" is typing. Read along, or take over: claim_input with take_over true.`,
        { data: { writer } },
      )
    },
    onChange(session, listener) {
      const audience = audienceOf(session)
      audience.listeners.add(listener)
      return () => {
        audience.listeners.delete(listener)
        tidy(session, audience)
      }
    },
    toldTo: (session, name) => audiences.get(session)?.viewers.get(name)?.told,
    tell(session, name, news) {
      meet(session, name).told = news
    },
  }
}
