/**
 * The link to one pane: a control client on the session that has it. A person who attaches with `-d` throws the client
 * out, and a pane may be moved to another session: the link is made anew, and what the pane shows is drawn anew. It ends
 * when tmux says that the pane is gone, and not before.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TmuxAccess } from './access.ts'
import { askTmux } from './access.ts'
import type { ControlClient } from './control-client.ts'
import { openControlClient } from './control-client.ts'
import type { ControlAnswer } from './control-reader.ts'
import type { PaneLook } from './pane-look.ts'
import { lookFormat, readLook } from './pane-look.ts'
import { drawAnew, drawWhole, factsFormat, readFacts } from './picture.ts'
import { tmuxLine } from './words.ts'

export interface PaneLink {
  readonly pane: string
  /** In the order they were given, also over a client that comes later. `onAnswer` is called in any case. */
  ask(command: string, onAnswer?: () => void): void
  run(command: string): Promise<readonly string[]>
  /** Has `onLook` called with how it is now. */
  look(): void
  /** Begins to tell what its program writes; with `isDrawn` after what it has written, as far as tmux knows it. */
  listen(options: { readonly isDrawn: boolean }): Promise<void>
  /** After a last command. */
  leave(command: string): void
}

export interface PaneListeners {
  onOutput(bytes: Buffer): void
  /** What follows is not what came next, but what the pane shows now. */
  onDrawn(bytes: Buffer): void
  onLook(look: PaneLook): void
  /** Asked of each new client. */
  onConnect(): readonly string[]
  onGone(): void
}

const retryMs = { first: 50, most: 5_000 }

/** In a new session, by this command. Throws what tmux says is wrong. */
export async function openSession(
  access: TmuxAccess,
  command: readonly string[],
  listeners: PaneListeners,
): Promise<PaneLink> {
  const link = createLink(access, listeners)
  const client = await link.connect(command)
  const [line = ''] = await client.run(tmuxLine('display-message', '-p', lookFormat))
  const { pane, session } = readLook(line)
  return link.take(pane, session)
}

/** To a pane that is there. */
export async function openPane(access: TmuxAccess, pane: string, listeners: PaneListeners): Promise<PaneLink> {
  const session = await sessionOf(access, pane)
  if (session === undefined) throw new Error(`tmux has no pane ${pane} any more`)
  const link = createLink(access, listeners)
  await link.connect(attachTo(session))
  return link.take(pane, session)
}

function createLink(access: TmuxAccess, listeners: PaneListeners) {
  let client: ControlClient | undefined
  let pane = ''
  let session = ''
  let isListening = false
  let isOver = false
  let isLooking = false
  /** For the next client. */
  const waiting: { readonly command: string; readonly onAnswer: () => void }[] = []

  async function connect(command: readonly string[]): Promise<ControlClient> {
    client = await openControlClient(access, command, {
      onOutput(of, bytes) {
        if (isListening && of === pane) listeners.onOutput(bytes)
      },
      onNotice: look,
      onClose: () => void connectAgain(),
    })
    return client
  }

  async function connectAgain(): Promise<void> {
    client = undefined
    const wasListening = isListening
    isListening = false
    for (let waitMs = retryMs.first; !isOver; waitMs = Math.min(waitMs * 2, retryMs.most)) {
      try {
        const found = await sessionOf(access, pane)
        if (found === undefined) return end()
        session = found
        await connect(attachTo(session))
        for (const command of listeners.onConnect()) client?.ask(command)
        if (wasListening) draw(false)
        for (const { command, onAnswer } of waiting.splice(0)) ask(command, onAnswer)
        return look()
      } catch {
        // It is there, but does not let us in; it may yet.
        await sleep(waitMs)
      }
    }
  }

  function ask(command: string, onAnswer: (answer?: ControlAnswer) => void = () => {}): void {
    if (isOver) onAnswer()
    else if (client) client.ask(command, onAnswer)
    else waiting.push({ command, onAnswer })
  }

  function look(): void {
    if (isLooking || isOver || pane === '') return
    isLooking = true
    // Many notices come at once; one look after the last will do.
    setImmediate(() => {
      isLooking = false
      client?.ask(tmuxLine('display-message', '-p', '-t', pane, lookFormat), takeLook)
    })
  }

  function takeLook({ isError, lines }: ControlAnswer): void {
    if (isError || isOver) return
    const found = readLook(lines[0]?.toString() ?? '')
    if (found.pane !== pane) return end()
    if (found.session !== session) return followTo(found.session)
    listeners.onLook(found)
  }

  /** A window can be in several sessions, of which tmux names one; only from one that has lost it there is a way to go. */
  function followTo(next: string): void {
    client?.ask(tmuxLine('list-panes', '-s', '-t', session, '-F', '#{pane_id}'), ({ lines }) => {
      if (lines.some((line) => line.toString() === pane)) return
      session = next
      client?.ask(tmuxLine('switch-client', '-E', '-t', next))
      if (isListening) draw(false)
      look()
    })
  }

  /** Nothing is told until it is drawn: what came before is in the picture, what comes after is not. */
  function draw(isWhole: boolean, onDone: () => void = () => {}): void {
    isListening = false
    const capture = (...options: readonly string[]) =>
      tmuxLine('capture-pane', '-p', '-e', '-J', '-t', pane, ...options)
    const facts = tmuxLine('display-message', '-p', '-t', pane, factsFormat)
    const by = client
    by?.ask(facts, (first) => {
      const before = readFacts(textOf(first))
      const pieces: (readonly Buffer[])[] = []
      const keep = ({ isError, lines }: ControlAnswer) => void pieces.push(isError ? [] : lines)
      if (isWhole && before.isAlternate) {
        if (before.historyLines > 0) by.ask(capture('-S', '-', '-E', '-1'), keep)
        by.ask(capture('-a', '-q'), keep)
      } else if (isWhole) by.ask(capture('-S', '-'), keep)
      if (!isWhole || before.isAlternate) by.ask(capture(), keep)
      by.ask(facts, (last) => {
        if (by !== client || isOver) return onDone()
        const state = readFacts(textOf(last))
        if (state.isAlternate !== before.isAlternate) return draw(isWhole, onDone)
        const screen = state.isAlternate || !isWhole ? (pieces.pop() ?? []) : []
        isListening = true
        listeners.onDrawn(isWhole ? drawWhole(state, pieces.flat(), screen) : drawAnew(state, screen))
        onDone()
      })
    })
  }

  function end(): void {
    if (isOver) return
    isOver = true
    client?.close()
    for (const { onAnswer } of waiting.splice(0)) onAnswer()
    listeners.onGone()
  }

  function take(itsPane: string, itsSession: string): PaneLink {
    pane = itsPane
    session = itsSession
    return {
      pane,
      ask: (command, onAnswer) => ask(command, onAnswer && (() => onAnswer())),
      run: (command) => client?.run(command) ?? Promise.reject(new Error('tmux is not there')),
      look,
      listen({ isDrawn }) {
        isListening = true
        return isDrawn ? new Promise((resolve) => draw(true, resolve)) : Promise.resolve()
      },
      leave(command) {
        isOver = true
        client?.ask(command)
        client?.close()
      },
    }
  }

  return { connect, take }
}

/** Without changing the session's environment, its current window or its size. */
function attachTo(session: string): readonly string[] {
  return ['attach-session', '-E', '-t', session]
}

/** `undefined`: tmux says that there is no such pane. Throws where it says nothing. */
async function sessionOf(access: TmuxAccess, pane: string): Promise<string | undefined> {
  try {
    const found = readLook(await askTmux(access, ['display-message', '-p', '-t', pane, lookFormat]))
    return found.pane === pane ? found.session : undefined
  } catch (error) {
    if (/no server running|error connecting|can't find|no sessions|server exited|lost server/.test(String(error)))
      return undefined
    throw error
  }
}

function textOf({ lines }: ControlAnswer): string {
  return lines[0]?.toString() ?? ''
}
