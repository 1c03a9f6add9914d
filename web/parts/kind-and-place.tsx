/** `claude • fix/checkout-retry`, after a word about an agent that the policy does not cover. */
import type { Session } from '../../src/api/session.ts'
import { GovernedChip } from './governed-chip.tsx'
import { placeOf } from './session-state.ts'
import { VisibleText } from './visible-text.tsx'

export function KindAndPlace({ session }: { readonly session: Session }) {
  const place = placeOf(session)
  return (
    <>
      <GovernedChip session={session} />
      {session.template}
      {place !== '' && (
        <>
          <span className="sep" />
          <VisibleText text={place} />
        </>
      )}
    </>
  )
}
