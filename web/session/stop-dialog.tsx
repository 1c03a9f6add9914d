/** Asks before a session is ended, and offers to remove what the hub keeps of it. */
import { useState } from 'react'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { go } from '../app/router.ts'
import { showFailure, showToast } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Check } from '../parts/check.tsx'
import { Sheet } from '../parts/sheet.tsx'

interface Killed {
  readonly worktree?: { readonly is: 'kept' | 'removed'; readonly path: string; readonly why?: string }
}

export function StopDialog({ session, onClose }: { readonly session: Session; onClose(): void }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const hasEnded = isOver(session.status)
  const [removes, setRemoves] = useState(hasEnded)
  const stop = () => {
    call<Killed>('kill_session', { name: session.id, remove: removes }).then(({ worktree }) => {
      if (!removes) return
      go({ is: 'sessions' })
      if (worktree?.is === 'kept') showToast('info', `The worktree ${worktree.path} stays: ${worktree.why ?? ''}`)
    }, showFailure)
    onClose()
  }
  const verb = hasEnded ? 'Remove' : removes ? 'Stop and remove' : 'Stop'
  return (
    <Sheet title={`${hasEnded ? 'Remove' : 'Stop'} ${session.name}?`} className="small" onClose={onClose}>
      <div className="sheet-b">
        <p className="t2">
          {removes
            ? 'Its record, its recording and its screen are deleted. The workspace stays; a git worktree that the hub made goes if nothing in it would be lost.'
            : 'Its program ends. The workspace, the screen and the thread stay.'}
        </p>
        {!hasEnded && (
          <p className="mt-3">
            <Check checked={removes} onChange={setRemoves}>
              Also remove its record and recording
            </Check>
          </p>
        )}
      </div>
      <div className="row sheet-f">
        <span className="grow" />
        <button className="btn lg" onClick={onClose}>
          Back
        </button>
        <button className="btn lg primary" disabled={isLost} onClick={stop}>
          {verb} the session
        </button>
      </div>
    </Sheet>
  )
}
