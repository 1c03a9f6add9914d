/** A line about an approval that was answered. */
import type { Approval } from '../../src/api/approval.ts'
import { PageLink } from '../app/link.tsx'
import { DecisionMark, type DecisionMarkName } from '../parts/marks.tsx'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { outcomeOf, summaryOf } from './question.ts'

const marks: Readonly<Record<Approval['status'], DecisionMarkName>> = {
  pending: 'ask',
  approved: 'allow',
  consumed: 'allow',
  denied: 'deny',
  aborted: 'abort',
  expired: 'expired',
  abandoned: 'expired',
}

export function AnsweredItem({ approval, isChosen }: { readonly approval: Approval; readonly isChosen: boolean }) {
  const { id, session, status, decided_at: at, requested_at: asked } = approval
  return (
    <li>
      <PageLink className="q-done" data-item to={{ is: 'approvals', id }} {...(isChosen && { 'aria-current': 'true' })}>
        <DecisionMark name={marks[status]} />
        <span className="q-main">
          <span className="row">
            <code className="cut">
              <VisibleText text={summaryOf(approval)} />
            </code>
            <span className="grow" />
            <span className="s12 t3 num">{clock(at ?? asked, { seconds: false })}</span>
          </span>
          <span className="s12 t3 cut">
            {session}
            <span className="sep" />
            {outcomeOf(approval)}
          </span>
        </span>
      </PageLink>
    </li>
  )
}
