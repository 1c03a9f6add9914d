/** `claude • fix/checkout-retry` */
import type { Session } from '../../src/api/session.ts'
import { placeOf } from './session-state.ts'
import { VisibleText } from './visible-text.tsx'

export function KindAndPlace({ session }: { readonly session: Session }) {
  const place = placeOf(session)
  return (
    <>
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
