/** Asks before a change is lost. */
import { useState } from 'react'
import type { FileChange } from '../../../src/api/changes.ts'
import type { Session } from '../../../src/api/session.ts'
import { showToast } from '../../app/toasts.tsx'
import { useHub, useIsLost } from '../../hub/hub-context.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { VisibleText } from '../../parts/visible-text.tsx'

export interface DiscardDialogProps {
  readonly session: Session
  readonly file: FileChange
  onClose(): void
  onDiscarded(): void
}

export function DiscardDialog({ session, file, onClose, onDiscarded }: DiscardDialogProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [failure, setFailure] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const discard = async () => {
    setIsBusy(true)
    try {
      await call('discard_changes', { session: session.id, path: file.path })
      showToast('allow', `Discarded the changes of ${file.path}.`)
      onDiscarded()
      onClose()
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      setIsBusy(false)
    }
  }
  const isNew = file.status === 'added' || file.status === 'untracked'
  return (
    <Sheet title="Discard these changes?" className="small" onClose={onClose}>
      <div className="sheet-b">
        <p className="t2 said">
          <code>
            <VisibleText text={file.path} />
          </code>{' '}
          {isNew
            ? 'is new and will be deleted.'
            : 'becomes as it was at the branch point. Its present content is lost; commits stay.'}
        </p>
        {failure !== undefined && (
          <p className="stop" role="alert">
            {failure}
          </p>
        )}
      </div>
      <div className="row sheet-f">
        <span className="grow" />
        <button className="btn lg" onClick={onClose}>
          Back
        </button>
        <button className="btn lg primary" disabled={isLost || isBusy} onClick={() => void discard()}>
          {isNew ? 'Delete the file' : 'Discard the changes'}
        </button>
      </div>
    </Sheet>
  )
}
