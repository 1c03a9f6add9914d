/** Speaks to the agent: now, after this turn, or by an interrupt. The text stays until it is sent. */
import { type KeyboardEvent, useRef, useState } from 'react'
import type { Session } from '../../src/api/session.ts'
import { commandKey, useKeys } from '../app/keys.ts'
import { showFailure } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { keepDraft, readDraft } from '../parts/drafts.ts'
import { Keys } from '../parts/keys-hint.tsx'
import { stateOf } from '../parts/session-state.ts'

/** Two presses of Escape within this time interrupt. */
const twiceMs = 600

interface Delivery {
  readonly status?: string
  readonly reason?: string
}

export function Composer({ session }: { readonly session: Session }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [text, setText] = useState(() => readDraft(session.id))
  const [when, setWhen] = useState<'now' | 'after'>('now')
  const [isSending, setIsSending] = useState(false)
  const escapedAt = useRef(0)
  const isWorking = stateOf(session) === 'working'

  function edit(next: string): void {
    setText(next)
    keepDraft(session.id, next)
  }
  async function send(): Promise<void> {
    if (text.trim() === '' || isLost || isSending) return
    setIsSending(true)
    try {
      const steers = isWorking && when === 'now'
      const args = { session: session.id, text }
      const answer = steers
        ? await call<Delivery>('steer_session', args)
        : await call<Delivery>('prompt_session', { ...args, wait: false })
      if (answer.status === 'not-delivered') throw new Error(answer.reason ?? 'The agent did not take the message.')
      edit('')
    } catch (error) {
      showFailure(error)
    } finally {
      setIsSending(false)
    }
  }
  const interrupt = () => void call('interrupt_session', { session: session.id }).catch(showFailure)

  function escape(): void {
    const isSecond = performance.now() - escapedAt.current < twiceMs
    escapedAt.current = performance.now()
    if (isSecond && isWorking) interrupt()
  }
  useKeys({ Escape: escape })
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') escape()
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    void send()
  }
  return (
    <div className="composer">
      <div className="area">
        <textarea
          rows={2}
          aria-label="Message"
          placeholder="Steer the agent, or ask for something next"
          value={text}
          onChange={(event) => edit(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="row cf">
          <div className="seg sm" role="group" aria-label="When">
            <button aria-pressed={when === 'now'} onClick={() => setWhen('now')}>
              Now
            </button>
            <button aria-pressed={when === 'after'} onClick={() => setWhen('after')}>
              After this turn
            </button>
          </div>
          <span className="grow" />
          {isWorking && (
            <button className="btn" disabled={isLost} onClick={interrupt}>
              Interrupt
              <Keys keys={['esc', 'esc ']} />
            </button>
          )}
          <button className="btn primary" disabled={isLost || isSending} onClick={() => void send()}>
            Send
            <Keys keys={[commandKey, '↵']} />
          </button>
        </div>
      </div>
    </div>
  )
}
