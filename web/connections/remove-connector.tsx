/** Asks before a connector is removed, and says who loses it. */
import { useState } from 'react'
import type { ConnectorView } from '../../src/api/connector.ts'
import { go } from '../app/router.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Sheet } from '../parts/sheet.tsx'

export interface RemoveConnectorProps {
  readonly connector: ConnectorView
  onClose(): void
}

export function RemoveConnector({ connector: { name, sessions }, onClose }: RemoveConnectorProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [failure, setFailure] = useState<string>()
  async function remove(): Promise<void> {
    try {
      await call('delete_connector', { name })
      onClose()
      go({ is: 'connections', id: undefined }, { replace: true })
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Sheet title={`Remove ${name}`} className="small" onClose={onClose}>
      <div className="sheet-b">
        <p>
          {sessions.length === 0
            ? 'No running session uses it. Its settings and its login are forgotten.'
            : `${sessions.join(', ')} ${sessions.length === 1 ? 'loses' : 'lose'} its tools at once. Its settings and its login are forgotten.`}
        </p>
        {failure !== undefined && (
          <p className="stop s12" role="alert">
            {failure}
          </p>
        )}
      </div>
      <footer className="row sheet-f">
        <span className="grow" />
        <button className="btn lg" onClick={onClose}>
          Keep it
        </button>
        <button className="btn lg danger" disabled={isLost} onClick={() => void remove()}>
          Remove
        </button>
      </footer>
    </Sheet>
  )
}
