/** Short messages about what has just happened. A toast is never the only trace of it. */
import type { ReactNode } from 'react'
import { createStore, useStore } from '../hub/store.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark, type DecisionMarkName } from '../parts/marks.tsx'

interface Toast {
  readonly id: number
  readonly mark: DecisionMarkName
  readonly text: ReactNode
}

const shownMs = 6_000
const toast = createStore<Toast | undefined>(undefined)
let lastId = 0

export function showToast(mark: DecisionMarkName, text: ReactNode): void {
  const id = ++lastId
  toast.set({ id, mark, text })
  setTimeout(() => toast.get()?.id === id && toast.set(undefined), shownMs)
}

/** For an action that failed. */
export function showFailure(error: unknown): void {
  showToast('abort', error instanceof Error ? error.message : String(error))
}

export function Toasts() {
  const shown = useStore(toast)
  return (
    <div role="status" aria-live="polite">
      {shown && (
        <div className="toast">
          <DecisionMark name={shown.mark} />
          <span className="cut grow">{shown.text}</span>
          <button className="icon-btn sm" aria-label="Close" onClick={() => toast.set(undefined)}>
            <Icon name="close" size={14} />
          </button>
        </div>
      )}
    </div>
  )
}
