/** A session that works: its live screen, its last hour and its last line. */
import { PageLink } from '../app/link.tsx'
import { useIsLost } from '../hub/hub-context.tsx'
import { KindAndPlace } from '../parts/kind-and-place.tsx'
import { LabelledMark } from '../parts/marks.tsx'
import { addressOf, costOf, lastLine, shownState } from '../parts/session-state.ts'
import { Thumbnail } from '../parts/thumbnail.tsx'
import { shortAge } from '../parts/time.ts'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { LastHour } from './last-hour.tsx'
import type { SessionRowProps } from './waiting-row.tsx'

export function SessionTile({ session, all }: SessionRowProps) {
  const now = useNow(30_000)
  const state = shownState(session, useIsLost())
  const isPhone = useIsPhone()
  return (
    <li className="tile">
      <PageLink to={{ is: 'session', name: addressOf(session, all) }} data-item>
        <Thumbnail session={session} height={isPhone ? 74 : 160} letters={isPhone ? 5 : 7} />
        <LastHour session={session} />
        <span className="row thead">
          <LabelledMark state={state} />
          <span className="w6 cut">{session.name}</span>
          <span className="grow" />
          <span className="t3 s12 num">{shortAge(session.created_at, now)}</span>
        </span>
        <span className="tlast cut">
          <VisibleText text={lastLine(session)} />
        </span>
        <span className="row s12 t3 tmeta">
          <span className="cut">
            <KindAndPlace session={session} />
          </span>
          <span className="grow" />
          <span className="num t2">{costOf(session)}</span>
        </span>
      </PageLink>
    </li>
  )
}
