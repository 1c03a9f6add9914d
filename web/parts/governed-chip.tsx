/** Whether the policy covers the tools built into the agent, in colour and words. Nothing if it does. */
import type { Session } from '../../src/api/session.ts'

export function GovernedChip({ session: { governed } }: { readonly session: Session }) {
  if (!governed || governed.is === 'yes' || governed.unproven) return null
  const isNone = governed.is === 'no'
  return (
    <span className={`chip governed${isNone ? ' stop' : ''}`} title={governed.reason}>
      {isNone ? 'Not governed' : 'Partly governed'}
    </span>
  )
}
