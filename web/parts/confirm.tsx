/** Asks before something is gone. */
import { type ReactNode, useState } from 'react'
import { useIsLost } from '../hub/hub-context.tsx'
import { Sheet } from './sheet.tsx'

export interface ConfirmProps {
  readonly title: string
  readonly text: ReactNode
  readonly action: string
  /** The button that changes nothing. */
  readonly back?: string
  onConfirm(): Promise<unknown>
  onClose(): void
}

export function Confirm({ title, text, action, back = 'Cancel', onConfirm, onClose }: ConfirmProps) {
  const isLost = useIsLost()
  const [why, setWhy] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  async function confirm(): Promise<void> {
    setIsBusy(true)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setWhy(error instanceof Error ? error.message : String(error))
      setIsBusy(false)
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
          {back}
        </button>
        <button className="btn danger" disabled={isLost || isBusy} onClick={() => void confirm()}>
          {action}
        </button>
      </footer>
    </Sheet>
  )
}
