/** Asks before something is gone. */
import { useState } from 'react'
import { useIsLost } from '../hub/hub-context.tsx'
import { Sheet } from './sheet.tsx'

export interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly action: string
  onConfirm(): Promise<unknown>
  onClose(): void
}

export function Confirm({ title, text, action, onConfirm, onClose }: ConfirmProps) {
  const isLost = useIsLost()
  const [why, setWhy] = useState<string>()
  async function confirm(): Promise<void> {
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setWhy(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Sheet title={title} className="small" onClose={onClose}>
      <div className="sheet-b">
        <p>{text}</p>
        {why !== undefined && (
          <p className="stop mt-2" role="alert">
            {why}
          </p>
        )}
      </div>
      <footer className="row sheet-f">
        <span className="grow" />
        <button className="btn" onClick={onClose}>
          Cancel
        </button>
        <button className="btn danger" disabled={isLost} onClick={() => void confirm()}>
          {action}
        </button>
      </footer>
    </Sheet>
  )
}
