/** Sessions as a table, for many of them. */
import type { KeyboardEvent } from 'react'
import type { Session } from '../../src/api/session.ts'
import { PageLink } from '../app/link.tsx'
import { type Route, go } from '../app/router.ts'
import { useIsLost } from '../hub/hub-context.tsx'
import { GovernedChip } from '../parts/governed-chip.tsx'
import { StateMark } from '../parts/marks.tsx'
import { addressOf, costOf, lastLine, placeOf, shownState, stateWords } from '../parts/session-state.ts'
import { useSteadyOrder } from '../parts/steady-order.ts'
import { shortAge } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { LastHour } from './last-hour.tsx'
import type { SessionRowProps } from './waiting-row.tsx'

export function SessionRows({
  sessions,
  all,
}: {
  readonly sessions: readonly Session[]
  readonly all: readonly Session[]
}) {
  const { items, ...steady } = useSteadyOrder(sessions, ({ id }) => id)
  return (
    <div className="scroll" tabIndex={-1} {...steady}>
      <table className="table rowst">
        <thead>
          <tr>
            <th>Session</th>
            <th>State</th>
            <th>Template</th>
            <th>Branch</th>
            <th>Last line</th>
            <th>Last hour</th>
            <th className="r">Cost</th>
            <th className="r">Age</th>
          </tr>
        </thead>
        <tbody>
          {items.map((session) => (
            <SessionRow key={session.id} session={session} all={all} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SessionRow({ session, all }: SessionRowProps) {
  const now = useNow(30_000)
  const state = shownState(session, useIsLost())
  const to: Route = { is: 'session', name: addressOf(session, all) }
  const tint = { waiting: 'wait w5', failed: 'stop' }[state as string] ?? 't2'
  const onKeyDown = (event: KeyboardEvent) => event.key === 'Enter' && event.target === event.currentTarget && go(to)
  return (
    <tr tabIndex={0} data-item onKeyDown={onKeyDown}>
      <td>
        <span className="row">
          <StateMark state={state} size={12} />
          <PageLink className="w6 cut" to={to} tabIndex={-1}>
            {session.name}
          </PageLink>
          <GovernedChip session={session} />
        </span>
      </td>
      <td className={`nowrap ${tint}`}>{stateWords[state]}</td>
      <td className="t2">{session.template}</td>
      <td className="t2">
        <span className="cut blk max-w-36">
          <VisibleText text={placeOf(session)} />
        </span>
      </td>
      <td>
        <span className="mono s12 t2 cut blk max-w-75">
          <VisibleText text={lastLine(session)} />
        </span>
      </td>
      <td className="w-34">
        <span className="blk w-30">
          <LastHour session={session} width={120} />
        </span>
      </td>
      <td className="r t2">{costOf(session)}</td>
      <td className="r t3">{shortAge(session.created_at, now)}</td>
    </tr>
  )
}
