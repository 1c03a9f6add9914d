/** A session that waits for the person, answered in place. */
import { type KeyboardEvent, useState } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { PageLink } from '../app/link.tsx'
import { type Route, go } from '../app/router.ts'
import { AskedCall } from '../approvals/asked-call.tsx'
import { useApprovalKeys, useDecide } from '../approvals/decide.ts'
import { DenyForm } from '../approvals/deny-form.tsx'
import { whyOf } from '../approvals/question.ts'
import { Wants } from '../approvals/wants.tsx'
import { KindAndPlace } from '../parts/kind-and-place.tsx'
import { StateMark } from '../parts/marks.tsx'
import { addressOf, costOf, lastLine } from '../parts/session-state.ts'
import { Thumbnail } from '../parts/thumbnail.tsx'
import { duration, shortAge } from '../parts/time.ts'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'

export interface SessionRowProps {
  readonly session: Session
  readonly all: readonly Session[]
}

export function WaitingRow({ session, all, approvals }: SessionRowProps & { readonly approvals: readonly Approval[] }) {
  const [first] = approvals
  const to: Route = { is: 'session', name: addressOf(session, all) }
  if (!first) return <WaitingElsewhere session={session} to={to} />
  return <AskingRow key={first.id} session={session} to={to} approval={first} count={approvals.length} />
}

interface AskingRowProps {
  readonly session: Session
  readonly to: Route
  readonly approval: Approval
  readonly count: number
}

function AskingRow({ session, to, approval, count }: AskingRowProps) {
  const deciding = useDecide(approval)
  const [isDenying, setIsDenying] = useState(false)
  const now = useNow(10_000)
  const review: Route = { is: 'approvals', id: approval.id }
  const once = () => void deciding.decide({ decision: 'approve' })
  const onApprovalKey = useApprovalKeys(
    deciding.isBusy
      ? {}
      : {
          a: once,
          s: () => void deciding.decide({ decision: 'approve', scope: 'session' }),
          r: () => go(review),
          d: () => setIsDenying(true),
          x: () => void deciding.decide({ decision: 'abort' }),
        },
  )
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && event.target === event.currentTarget) go(review)
    else onApprovalKey(event)
  }
  return (
    <li className="wrow" tabIndex={0} data-item onKeyDown={onKeyDown} aria-label={`${session.name} waits for you`}>
      <RowPicture session={session} />
      <div className="wbody">
        <RowHead session={session} to={to} />
        <p className="wq">
          <span className="w5">
            <Wants approval={approval} />
          </span>{' '}
          <span className="t3 nowrap">
            held {duration(now - Date.parse(approval.requested_at), { seconds: false })}
          </span>
        </p>
        <AskedCall approval={approval} />
        <p className="s12 t3 wwhy cut">
          <VisibleText text={whyOf(approval)} />
        </p>
        {isDenying && <DenyForm deciding={deciding} onBack={() => setIsDenying(false)} />}
      </div>
      <div className="wact">
        <button className="btn lg primary" disabled={deciding.isBusy} onClick={once}>
          Allow once<kbd aria-hidden="true">A</kbd>
        </button>
        <button className="btn lg" disabled={deciding.isBusy} onClick={() => setIsDenying(true)}>
          Deny…<kbd aria-hidden="true">D</kbd>
        </button>
        <PageLink className="btn lg" to={review}>
          {count > 1 ? `Review ${count}` : 'Review'}
          <kbd aria-hidden="true">↵</kbd>
        </PageLink>
      </div>
    </li>
  )
}

/** A session that asks on its own screen, or by the protocol of its agent. */
function WaitingElsewhere({ session, to }: { readonly session: Session; readonly to: Route }) {
  const onKeyDown = (event: KeyboardEvent) => event.key === 'Enter' && event.target === event.currentTarget && go(to)
  const now = useNow(10_000)
  return (
    <li className="wrow" tabIndex={0} data-item onKeyDown={onKeyDown} aria-label={`${session.name} waits for you`}>
      <RowPicture session={session} />
      <div className="wbody">
        <RowHead session={session} to={to} />
        <p className="wq">
          <span className="w5">Waits for an answer</span>{' '}
          <span className="t3 nowrap">
            for {duration(now - Date.parse(session.activity.since), { seconds: false })}
          </span>
        </p>
        <p className="wsay t2">
          <VisibleText text={lastLine(session)} />
        </p>
      </div>
      <div className="wact">
        <PageLink className="btn lg primary" to={to}>
          Open<kbd aria-hidden="true">↵</kbd>
        </PageLink>
      </div>
    </li>
  )
}

/** A phone has no room for it. */
function RowPicture({ session }: { readonly session: Session }) {
  return !useIsPhone() && <Thumbnail session={session} height={132} />
}

function RowHead({ session, to }: { readonly session: Session; readonly to: Route }) {
  const now = useNow(30_000)
  return (
    <div className="row whead">
      <StateMark state="waiting" />
      <h3 className="w6">
        <PageLink to={to}>{session.name}</PageLink>
      </h3>
      <span className="t3 s12">
        <KindAndPlace session={session} />
      </span>
      <span className="grow" />
      <span className="t2 s12 num wcost">{costOf(session)}</span>
      <span className="t3 s12 num">{shortAge(session.created_at, now)}</span>
    </div>
  )
}
