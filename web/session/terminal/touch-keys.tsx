/** Keys that a phone's keyboard lacks, and a line of text with which its suggestions work. */
import { type FormEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { Icon } from '../../parts/icons.tsx'

export interface CtrlKey {
  readonly isHeld: boolean
  setHeld(isHeld: boolean): void
  /** Applies Ctrl to the next key. */
  withCtrl(typed: string): string
}

export interface TouchKeysProps {
  readonly ctrl: CtrlKey
  type(text: string): void
  paste(text: string): void
  /** In this mode, arrow keys have other codes. */
  isApplicationCursor(): boolean
}

const repeatAfterMs = 400
const repeatEveryMs = 80

export function TouchKeys({ ctrl, type, paste, isApplicationCursor }: TouchKeysProps) {
  const [text, setText] = useState('')
  const arrow = (letter: string) => () => type(`\x1b${isApplicationCursor() ? 'O' : '['}${letter}`)
  // Without a secure connection the browser denies access to the clipboard.
  const canPaste = navigator.clipboard?.readText !== undefined

  function edit(next: string): void {
    if (!ctrl.isHeld || next === '') return setText(next)
    type(ctrl.withCtrl(next.slice(-1)))
    setText(next.slice(0, -1))
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (text !== '') paste(text)
    type('\r')
    setText('')
  }
  return (
    <div className="touch-keys">
      <div className="tkeys" role="group" aria-label="Keys">
        <TouchKey name="Esc" press={() => type('\x1b')}>
          esc
        </TouchKey>
        <TouchKey name="Tab" press={() => type('\t')}>
          tab
        </TouchKey>
        <button
          aria-label="Ctrl"
          aria-pressed={ctrl.isHeld}
          onPointerDown={keepFocus}
          onClick={() => ctrl.setHeld(!ctrl.isHeld)}
        >
          ctrl
        </button>
        <TouchKey name="Control C" press={() => type('\x03')}>
          ^C
        </TouchKey>
        <TouchKey name="Left" repeats press={arrow('D')}>
          ←
        </TouchKey>
        <TouchKey name="Up" repeats press={arrow('A')}>
          ↑
        </TouchKey>
        <TouchKey name="Down" repeats press={arrow('B')}>
          ↓
        </TouchKey>
        <TouchKey name="Right" repeats press={arrow('C')}>
          →
        </TouchKey>
        <TouchKey name="Enter" press={() => type('\r')}>
          <Icon name="enter" />
        </TouchKey>
        {canPaste && (
          <TouchKey name="Paste" press={() => void navigator.clipboard.readText().then(paste)}>
            <Icon name="paste" />
          </TouchKey>
        )}
      </div>
      <form className="row tinput" onSubmit={submit}>
        <span className="input">
          <input
            aria-label="Text to type"
            autoComplete="off"
            autoCapitalize="off"
            enterKeyHint="send"
            value={text}
            onChange={(event) => edit(event.target.value)}
          />
        </span>
        <button className="btn primary" aria-label="Send" onPointerDown={keepFocus}>
          <Icon name="enter" />
        </button>
      </form>
    </div>
  )
}

/** The button takes no focus, so that the phone's keyboard stays as it is. */
function keepFocus(event: PointerEvent): void {
  event.preventDefault()
}

interface TouchKeyProps {
  readonly name: string
  readonly repeats?: boolean
  press(): void
  readonly children: ReactNode
}

function TouchKey({ name, repeats = false, press, children }: TouchKeyProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(press)
  latest.current = press
  const stop = () => clearTimeout(timer.current)
  function start(event: PointerEvent): void {
    keepFocus(event)
    if (!repeats) return
    const again = () => {
      latest.current()
      timer.current = setTimeout(again, repeatEveryMs)
    }
    timer.current = setTimeout(again, repeatAfterMs)
  }
  return (
    <button
      aria-label={name}
      onPointerDown={start}
      onPointerUp={stop}
      onPointerCancel={stop}
      onPointerLeave={stop}
      onClick={() => press()}
    >
      {children}
    </button>
  )
}

export function useCtrlKey(): CtrlKey {
  const [isHeld, setShown] = useState(false)
  const held = useRef(false)
  const setHeld = (next: boolean) => {
    held.current = next
    setShown(next)
  }
  return {
    isHeld,
    setHeld,
    withCtrl(typed) {
      if (!held.current || typed.length !== 1) return typed
      setHeld(false)
      return controlCharacter(typed)
    },
  }
}

function controlCharacter(character: string): string {
  if (character === ' ') return '\0'
  if (character === '?') return '\x7f'
  const code = character.toUpperCase().charCodeAt(0)
  return code >= 0x40 && code < 0x60 ? String.fromCharCode(code & 0x1f) : character
}
