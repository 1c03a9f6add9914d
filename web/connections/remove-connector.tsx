/** Asks before a connector is removed, and says who loses it. */
import type { ConnectorView } from '../../src/api/connector.ts'
import { go } from '../app/router.ts'
import { useHub } from '../hub/hub-context.tsx'
import { Confirm } from '../parts/confirm.tsx'

export interface RemoveConnectorProps {
  readonly connector: ConnectorView
  onClose(): void
}

export function RemoveConnector({ connector: { name, sessions }, onClose }: RemoveConnectorProps) {
  const { call } = useHub()
  const loses =
    sessions.length === 0
      ? 'No running session uses it.'
      : `${sessions.join(', ')} ${sessions.length === 1 ? 'loses' : 'lose'} its tools at once.`
  async function remove(): Promise<void> {
    await call('delete_connector', { name })
    go({ is: 'connections', id: undefined }, { replace: true })
  }
  return (
    <Confirm
      title={`Remove ${name}`}
      text={`${loses} Its settings and its login are forgotten.`}
      action="Remove"
      back="Keep it"
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
