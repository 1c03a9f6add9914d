/** This tab at the terminal of a session: shows its output, sends what is typed, and knows who has the keyboard. */
import type { TerminalSize } from '../../../src/api/session.ts'
import type { CallTool } from '../../hub/hub.ts'
import { type Store, createStore } from '../../hub/store.ts'
import { followOutput } from './output.ts'
import { createSizing } from './sizing.ts'
import { createTyping } from './typing.ts'
import { type View, createView } from './view.ts'
import { viewerOfThisTab as viewer } from './viewer.ts'

export interface AttachmentState {
  readonly size?: TerminalSize
  /** Who has the keyboard: this tab, another viewer by its name, or nobody. */
  readonly writer: 'me' | { readonly other: string } | undefined
  /** The title that the program set. */
  readonly title: string
  /** Why typed text may not have arrived. */
  readonly failure?: string
}

export interface Attachment extends Disposable {
  readonly state: Store<AttachmentState>
  readonly view: View
  type(text: string): void
  paste(text: string): void
  takeOver(): void
  giveBack(): void
  /** The session has ended, so nobody can type. */
  setOver(): void
}

export interface AttachOptions {
  readonly call: CallTool
  readonly session: string
  readonly place: HTMLElement
  readonly fontSize: number
  /** Applies a key that is held on the bar of a phone. */
  change(typed: string): string
  /** This viewer typed while another has the keyboard. */
  onRefused(): void
  onFailed(failure: unknown): void
}

export function attach({ call, session, place, fontSize, change, onRefused, onFailed }: AttachOptions): Attachment {
  const ended = new AbortController()
  const { signal } = ended
  const view = createView(place, fontSize)
  const { terminal } = view
  const state = createStore<AttachmentState>({ writer: undefined, title: '' })
  const update = (next: Partial<AttachmentState>) => state.set({ ...state.get(), ...next })
  let isOver = false

  const typing = createTyping({
    call,
    session,
    viewer,
    onWriter(writer) {
      update({ writer: writer === viewer ? 'me' : writer === undefined ? undefined : { other: writer } })
      view.setRole(writer === viewer ? 'writer' : 'reader')
      sizing.forget()
    },
    onRefused,
    onFailure: (error) =>
      update({ failure: `${error instanceof Error ? error.message : ''} What you typed may not have arrived.` }),
  })
  const sizing = createSizing({
    wanted: () => (typing.isWriter && !isOver ? view.room() : undefined),
    present: () => terminal,
    ask: (size) => typing.resize(size),
  })

  function type(text: string): void {
    if (isOver) return
    const { failure: _, ...rest } = state.get()
    state.set(rest)
    typing.type(text)
  }
  /** Mouse and focus reports go to the program only if this viewer types. */
  function report(data: string): void {
    if (typing.isWriter && !isOver && isAscii(data)) typing.type(data)
  }
  function arrange(): void {
    view.arrange()
    void sizing.settle()
  }

  terminal.onData((data) => (isReport(data) ? report(data) : type(change(data))))
  terminal.onBinary(report)
  terminal.onTitleChange((title) => update({ title }))
  const observer = new ResizeObserver(debounce(arrange))
  observer.observe(place)
  followOutput({
    call,
    session,
    viewer,
    signal,
    view,
    onNews({ size, writer }) {
      update({ size })
      typing.setWriter(writer)
      void sizing.settle()
    },
  }).catch((error: unknown) => signal.aborted || onFailed(error))

  return {
    state,
    view,
    type,
    paste: (text) => terminal.paste(text),
    takeOver() {
      void typing.takeOver()
      terminal.focus()
    },
    giveBack: () => void typing.giveBack(),
    setOver: () => void (isOver = true),
    [Symbol.dispose]() {
      ended.abort()
      observer.disconnect()
      view[Symbol.dispose]()
    },
  }
}

/** Focus and mouse reports. */
function isReport(data: string): boolean {
  return data === '\x1b[I' || data === '\x1b[O' || data.startsWith('\x1b[M') || data.startsWith('\x1b[<')
}

function isAscii(data: string): boolean {
  return Array.from(data).every((character) => character < '\x80')
}

/** Otherwise dragging the edge of a window would send every size on the way to the program. */
function debounce(action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    clearTimeout(timer)
    timer = setTimeout(action, 100)
  }
}
