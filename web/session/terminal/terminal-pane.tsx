/** The terminal of a session. It is loaded when a session is opened. */
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Session } from '../../../src/api/session.ts'
import { isOver } from '../../../src/api/session-status.ts'
import { useKeys } from '../../app/keys.ts'
import { showFailure, showToast } from '../../app/toasts.tsx'
import { useTheme } from '../../app/theme.ts'
import { useHub } from '../../hub/hub-context.tsx'
import { createStore, useStore } from '../../hub/store.ts'
import { Icon } from '../../parts/icons.tsx'
import { clock } from '../../parts/time.ts'
import type { Player, PlayerState } from '../recording/player.ts'
import { Replay } from '../recording/replay.tsx'
import { Scrubber } from '../recording/scrubber.tsx'
import { type Attachment, type AttachmentState, attach } from './attachment.ts'
import { terminalColours } from './colours.ts'
import { TouchKeys, useCtrlKey } from './touch-keys.tsx'
import type { View } from './view.ts'

const nothing = createStore<AttachmentState>({ writer: undefined, title: '' })
const live = createStore<PlayerState | undefined>(undefined)
const fontSizes = [11, 12.5, 14, 16, 18]
const fontKey = 'signalbox-font-size'

export interface TerminalPaneProps {
  readonly session: Session
  /** Typing goes to the terminal at once. */
  readonly focused: boolean
  readonly opacity: number
  onTitle(title: string): void
}

export default function TerminalPane({ session, focused, opacity, onTitle }: TerminalPaneProps) {
  const { call } = useHub()
  const place = useRef<HTMLDivElement>(null)
  const [attachment, setAttachment] = useState<Attachment>()
  const [isRefused, setIsRefused] = useState(false)
  const [isSearching, setIsSearching] = useState(false)
  const [fontSize, setFontSize] = useState(readFontSize)
  /** Where the recording was entered. `undefined`: the terminal is live. */
  const [entered, setEntered] = useState<{ readonly from: number; readonly plays: boolean }>()
  const [replay, setReplay] = useState<{ readonly player: Player; readonly view: View }>()
  const ctrl = useCtrlKey()
  const latest = useRef({ ctrl, fontSize, focused })
  latest.current = { ctrl, fontSize, focused }
  const state = useStore(attachment?.state ?? nothing)
  const played = useStore<PlayerState | undefined>(replay?.player.state ?? live)
  const shownView = replay?.view ?? attachment?.view
  const theme = useTheme()
  const hasEnded = isOver(session.status)

  useEffect(() => {
    const made = attach({
      call,
      session: session.id,
      place: place.current!,
      fontSize: latest.current.fontSize,
      change: (typed) => latest.current.ctrl.withCtrl(typed),
      onRefused: () => setIsRefused(true),
      onFailed: showFailure,
    })
    setAttachment(made)
    // On a phone, the focus would open the keyboard.
    if (latest.current.focused && !matchMedia('(pointer: coarse)').matches) made.view.terminal.focus()
    return () => made[Symbol.dispose]()
  }, [call, session.id])
  useEffect(() => {
    if (attachment) attachment.view.terminal.options.theme = terminalColours()
  }, [attachment, theme])
  useEffect(() => attachment?.view.setFontSize(fontSize), [attachment, fontSize])
  useEffect(() => (hasEnded ? attachment?.setOver() : undefined), [attachment, hasEnded])
  useEffect(() => onTitle(state.title), [state.title, onTitle])

  useKeys({
    t: () => hasEnded || takeOver(),
    'mod+shift+escape': () => attachment?.giveBack(),
    'mod+f': () => setIsSearching(true),
  })

  const goLive = () => setEntered(undefined)
  function takeOver(): void {
    goLive()
    attachment?.takeOver()
  }
  function changeFontSize(): void {
    const next = fontSizes[(fontSizes.indexOf(fontSize) + 1) % fontSizes.length]!
    localStorage.setItem(fontKey, String(next))
    setFontSize(next)
  }
  async function copyScreen(): Promise<void> {
    const { terminal } = shownView!
    const { active } = terminal.buffer
    const rows = Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.viewportY + row))
    await navigator.clipboard.writeText(rows.map((row) => row?.translateToString(true) ?? '').join('\n'))
    showToast('allow', 'Copied the screen.')
  }

  return (
    <section className="pane tpane" aria-label="Terminal">
      <div className="tbar">
        {entered ? (
          <span className="row s12 cut" role="status" aria-label="Recording">
            <Icon name="play" size={12} />
            <span>Recording</span>
            <span className="tdim num">{clock(played?.at ?? entered.from)}</span>
            {played?.failure !== undefined && <span className="cut term-failure">{played.failure}</span>}
          </span>
        ) : (
          <Keyboard state={state} hasEnded={hasEnded} isRefused={isRefused} onRest={() => setIsRefused(false)} />
        )}
        <span className="tdim s12 num desk-only" title="Columns and rows">
          {state.size && `${state.size.cols}×${state.size.rows}`}
        </span>
        <span className="grow" />
        {!hasEnded && state.writer !== 'me' && (
          <button className="tbtn" onClick={takeOver}>
            Take over<kbd aria-hidden="true">T</kbd>
          </button>
        )}
        {!hasEnded && state.writer === 'me' && (
          <button className="tbtn" onClick={() => attachment?.giveBack()}>
            Give back
          </button>
        )}
        <button className="icon-btn sm" aria-label="Search in scrollback" onClick={() => setIsSearching(!isSearching)}>
          <Icon name="search" size={14} />
        </button>
        <button className="icon-btn sm" aria-label="Font size" title={`Font size ${fontSize}`} onClick={changeFontSize}>
          <Icon name="letters" size={14} />
        </button>
        {navigator.clipboard && (
          <button
            className="icon-btn sm desk-only"
            aria-label="Copy screen"
            onClick={() => void copyScreen().catch(showFailure)}
          >
            <Icon name="copy" size={14} />
          </button>
        )}
      </div>
      {isSearching && shownView && <SearchBar view={shownView} onClose={() => setIsSearching(false)} />}
      <div className="tstack">
        <div className={entered ? 'tplace behind' : 'tplace'} style={{ opacity }} ref={place} />
        {entered && <Replay session={session.id} {...entered} fontSize={fontSize} onOpen={setReplay} onEnd={goLive} />}
      </div>
      <Scrubber
        session={session}
        state={entered && (played ?? { at: entered.from, isPlaying: entered.plays })}
        onSeek={(at) => (replay ? replay.player.seek(at) : setEntered({ from: at, plays: false }))}
        onPlay={(from) => (replay ? replay.player.play() : setEntered({ from, plays: true }))}
        onPause={() => replay?.player.pause()}
        onLive={goLive}
      />
      {attachment && !hasEnded && !entered && (
        <TouchKeys
          ctrl={ctrl}
          type={attachment.type}
          paste={attachment.paste}
          isApplicationCursor={() => attachment.view.terminal.modes.applicationCursorKeysMode}
        />
      )}
    </section>
  )
}

interface KeyboardProps {
  readonly state: AttachmentState
  readonly hasEnded: boolean
  readonly isRefused: boolean
  onRest(): void
}

/** Who has the keyboard, and how the session ended. */
function Keyboard({ state: { writer, failure }, hasEnded, isRefused, onRest }: KeyboardProps) {
  const isOther = typeof writer === 'object'
  return (
    <span
      className={isRefused && isOther ? 'row s12 cut refused' : 'row s12 cut'}
      onAnimationEnd={onRest}
      role="status"
      aria-label="Keyboard"
    >
      <Icon name={writer === 'me' ? 'keyboard' : 'eye'} size={14} />
      {hasEnded ? (
        <span>Ended</span>
      ) : writer === 'me' ? (
        <span>You have the keyboard</span>
      ) : (
        <>
          <span>Watching</span>
          <span className="tdim cut">{isOther ? `${writer.other} has the keyboard` : 'type to take the keyboard'}</span>
        </>
      )}
      {failure !== undefined && <span className="cut term-failure">{failure}</span>}
    </span>
  )
}

function SearchBar({ view, onClose }: { readonly view: View; onClose(): void }) {
  const [text, setText] = useState('')
  const { search, terminal } = view
  function close(): void {
    search.clearDecorations()
    terminal.focus()
    onClose()
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    search.findPrevious(text)
  }
  return (
    <form className="row tsearch" role="search" onSubmit={submit}>
      <span className="input">
        <input
          autoFocus
          aria-label="Search in scrollback"
          placeholder="Search in scrollback"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            search.findPrevious(event.target.value, { incremental: true })
          }}
          onKeyDown={(event) => event.key === 'Escape' && close()}
        />
      </span>
      <button type="submit" className="icon-btn sm" aria-label="Previous match">
        <Icon name="up" size={14} />
      </button>
      <button type="button" className="icon-btn sm" aria-label="Next match" onClick={() => search.findNext(text)}>
        <Icon name="down" size={14} />
      </button>
      <button type="button" className="icon-btn sm" aria-label="Close the search" onClick={close}>
        <Icon name="close" size={14} />
      </button>
    </form>
  )
}

function readFontSize(): number {
  const kept = Number(localStorage.getItem(fontKey))
  if (fontSizes.includes(kept)) return kept
  return matchMedia('(max-width: 767px)').matches ? 11 : 12.5
}
