/** A session that rests or has ended, in one line. */
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { PageLink } from '../app/link.tsx'
import { useIsLost } from '../hub/hub-context.tsx'
import { KindAndPlace } from '../parts/kind-and-place.tsx'
import { LabelledMark } from '../parts/marks.tsx'
import { addressOf, costOf, howItEnded, lastLine, shownState } from '../parts/session-state.ts'
import { Thumbnail } from '../parts/thumbnail.tsx'
import { shortAge } from '../parts/time.ts'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { LastHour } from './last-hour.tsx'
import type { SessionRowProps } from './waiting-row.tsx'

export function SessionLine({ session, all }: SessionRowProps) {
  const now = useNow(30_000)
  const isPhone = useIsPhone()
  return (
    <li className="lrow">
      <PageLink to={{ is: 'session', name: addressOf(session, all) }} data-item>
        {!isPhone && <Thumbnail session={session} height={36} letters={4} />}
        <LabelledMark state={shownState(session, useIsLost())} />
        <span className="lname cut">
          <span className="w6">{session.name}</span>
        </span>
        <span className="t3 s12 lt cut">
          <KindAndPlace session={session} />
        </span>
        <span className="mono s12 t2 cut ll">
          <VisibleText text={lastLine(session)} />
        </span>
        <span className="lstrip">
          <LastHour session={session} width={160} />
        </span>
        <span className="t2 s12 num lc">{costOf(session)}</span>
        <span className="t3 s12 num la nowrap">{restText(session, now)}</span>
      </PageLink>
    </li>
  )
}

function restText(session: Session, now: number): string {
  if (isOver(session.status)) return howItEnded(session)
  const age = shortAge(session.activity.since, now)
  return session.activity.is === 'idle' ? `idle ${age}` : shortAge(session.created_at, now)
}
