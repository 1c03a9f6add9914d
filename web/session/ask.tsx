/** An approval in the thread of its session. */
import { useState } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import { PageLink } from '../app/link.tsx'
import { AskedCall } from '../approvals/asked-call.tsx'
import { useApprovalKeys, useDecide } from '../approvals/decide.ts'
import { DenyForm } from '../approvals/deny-form.tsx'
import { summaryOf, whyOf } from '../approvals/question.ts'
import { Wants } from '../approvals/wants.tsx'
import { Icon } from '../parts/icons.tsx'
import { StateMark } from '../parts/marks.tsx'
import { duration } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'

export function Ask({ approval, isNext }: { readonly approval: Approval; readonly isNext: boolean }) {
  const held = `held ${duration(useNow(1_000) - Date.parse(approval.requested_at))}`
  if (!isNext) return <AskNow approval={approval} held={held} />
  return (
    <PageLink className="ask next" to={{ is: 'approvals', id: approval.id }}>
      <span className="row ah">
        <StateMark state="waiting" />
        <span className="w6 cut">
          Then: <VisibleText text={summaryOf(approval)} />
        </span>
        <span className="grow" />
        <span className="s12 t2 num nowrap">{held}</span>
        <Icon name="right" size={14} />
      </span>
    </PageLink>
  )
}

function AskNow({ approval, held }: { readonly approval: Approval; readonly held: string }) {
  const deciding = useDecide(approval)
  const [isDenying, setIsDenying] = useState(false)
  const { isBusy } = deciding
  const once = () => void deciding.decide({ decision: 'approve' })
  const session = () => void deciding.decide({ decision: 'approve', scope: 'session' })
  const onKeyDown = useApprovalKeys(isBusy ? {} : { a: once, s: session, d: () => setIsDenying(true) })
  return (
    <section className="ask" aria-label="Approval" tabIndex={0} data-item onKeyDown={onKeyDown}>
      <div className="hatch edge" />
      <div className="row ah">
        <StateMark state="waiting" />
        <span className="w6">
          <Wants approval={approval} />
        </span>
        <span className="grow" />
        <span className="s12 t2 num">{held}</span>
      </div>
      <AskedCall approval={approval} />
      <p className="s12 t2">
        <VisibleText text={whyOf(approval)} />
      </p>
      {isDenying ? (
        <DenyForm deciding={deciding} onBack={() => setIsDenying(false)} />
      ) : (
        <div className="row acts">
          <button className="btn primary" disabled={isBusy} onClick={once}>
            Allow once<kbd aria-hidden="true">A</kbd>
          </button>
          <button className="btn mid" disabled={isBusy} onClick={session}>
            For this session<kbd aria-hidden="true">S</kbd>
          </button>
          <PageLink className="btn desk-only" to={{ is: 'approvals', id: approval.id }}>
            Review
          </PageLink>
          <span className="grow" />
          <button className="btn deny" disabled={isBusy} onClick={() => setIsDenying(true)}>
            Deny…<kbd aria-hidden="true">D</kbd>
          </button>
        </div>
      )}
    </section>
  )
}
