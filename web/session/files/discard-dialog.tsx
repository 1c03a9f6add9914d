/** Asks before a change is lost. */
import type { FileChange } from '../../../src/api/changes.ts'
import type { Session } from '../../../src/api/session.ts'
import { showToast } from '../../app/toasts.tsx'
import { useHub } from '../../hub/hub-context.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { VisibleText } from '../../parts/visible-text.tsx'

export interface DiscardDialogProps {
  readonly session: Session
  readonly file: FileChange
  onClose(): void
  onDiscarded(): void
}

export function DiscardDialog({ session, file, onClose, onDiscarded }: DiscardDialogProps) {
  const { call } = useHub()
  const isNew = file.status === 'added' || file.status === 'untracked'
  async function discard(): Promise<void> {
    await call('discard_changes', { session: session.id, path: file.path })
    showToast('allow', `Discarded the changes of ${file.path}.`)
    onDiscarded()
  }
  return (
    <Confirm
      title="Discard these changes?"
      text={
        <>
          <code>
            <VisibleText text={file.path} />
          </code>{' '}
          {isNew
            ? 'is new and will be deleted.'
            : 'becomes as it was at the branch point. Its present content is lost; commits stay.'}
        </>
      }
      action={isNew ? 'Delete the file' : 'Discard the changes'}
      back="Back"
      onConfirm={discard}
      onClose={onClose}
    />
  )
}
