/** The dialog that starts a session. */
import { Sheet } from '../parts/sheet.tsx'
import { SessionForm } from './session-form.tsx'
import './new-session.css'

export default function NewSession({ onClose }: { onClose(): void }) {
  return (
    <Sheet title="New session" onClose={onClose}>
      <div className="sheet-b">
        <SessionForm withMore onStarted={onClose} />
      </div>
    </Sheet>
  )
}
