/** Denies a call, with a reason that the agent reads. */
import { type KeyboardEvent, useId, useState } from 'react'
import { commandKey } from '../app/keys.ts'
import { Keys } from '../parts/keys-hint.tsx'
import type { Deciding } from './decide.ts'

const reasons = ['Wrong branch', 'Ask me first', 'Do it another way']

export function DenyForm({ deciding, onBack }: { readonly deciding: Deciding; onBack(): void }) {
  const [reason, setReason] = useState('')
  const id = useId()
  const deny = () => void deciding.decide({ decision: 'deny', ...(reason.trim() !== '' && { reason: reason.trim() }) })
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Escape') onBack()
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) deny()
  }
  return (
    <footer className="decide col" onKeyDown={onKeyDown}>
      <div className="field">
        <label htmlFor={id}>Tell the agent why (it reads this and goes on)</label>
        <span className="area">
          <textarea id={id} rows={2} autoFocus value={reason} onChange={(event) => setReason(event.target.value)} />
        </span>
      </div>
      <div className="row">
        <span className="seg sm chips-r">
          {reasons.map((words) => (
            <button key={words} type="button" onClick={() => setReason(words)}>
              {words}
            </button>
          ))}
        </span>
        <span className="grow" />
        <button className="btn lg" onClick={onBack}>
          Back<kbd aria-hidden="true">esc</kbd>
        </button>
        <button className="btn lg primary" disabled={deciding.isBusy} onClick={deny}>
          Deny
          <Keys keys={[commandKey, '↵']} />
        </button>
      </div>
    </footer>
  )
}
