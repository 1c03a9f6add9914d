/** `claude • storefront` */
import type { Session } from '../../src/api/session.ts'
import { placeOf } from './session-state.ts'

export function KindAndPlace({ session }: { readonly session: Session }) {
  const place = placeOf(session)
  return (
    <>
      {session.template}
      {place !== '' && (
        <>
          <span className="sep" />
          {place}
        </>
      )}
    </>
  )
}
