/** Approvals: what waits for the person, what was answered, and one of them in detail. */
import type { Approval } from '../../src/api/approval.ts'
import { PageLink } from '../app/link.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { useLive } from '../hub/hub-context.tsx'
import { useAnsweredApprovals, usePendingApprovals } from '../hub/hub-data.ts'
import { Keys } from '../parts/keys-hint.tsx'
import { StateMark } from '../parts/marks.tsx'
import { duration } from '../parts/time.ts'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { AnsweredItem } from './answered-item.tsx'
import { ApprovalDetail } from './approval-detail.tsx'
import { summaryOf } from './question.ts'

export function Approvals({ id, waiting }: { readonly id: string | undefined; readonly waiting: number }) {
  usePageTitle('Approvals', waiting)
  const { value: pending } = usePendingApprovals()
  const { value: answered = [] } = useAnsweredApprovals()
  const isPhone = useIsPhone()
  // On a desktop, the one that waits longest is shown at once.
  const chosen = id ?? (isPhone ? undefined : pending?.[0]?.id)
  const shown = [...(pending ?? []), ...answered].find((approval) => approval.id === chosen)
  return (
    <main className="main" id="main">
      <h1 className="sr">Approvals</h1>
      <header className="bar ap-bar">
        <span className="bt">Approvals</span>
        <span className="grow" />
        <span className="s12 t3 desk-only row keysline" aria-hidden="true">
          <span>
            <Keys keys={['J', 'K']} /> next
          </span>
          <span>
            <Keys keys={['A']} /> allow
          </span>
          <span>
            <Keys keys={['D']} /> deny
          </span>
        </span>
      </header>
      <div className="panes">
        <section className="pane list" aria-label="All approvals">
          <div className="scroll" tabIndex={0} role="region" aria-label="List of approvals">
            <h2 className="gh q-gh">
              Waiting for you <span className="count">{pending?.length ?? ''}</span>
            </h2>
            {pending?.length === 0 && <p className="t3 px-4 pb-2">Nothing waits for you.</p>}
            <ul>
              {pending?.map((approval) => (
                <PendingItem key={approval.id} approval={approval} isChosen={approval.id === chosen} />
              ))}
            </ul>
            {answered.length > 0 && (
              <>
                <h2 className="gh q-gh">
                  Answered <span className="count">{answered.length}</span>
                </h2>
                <ul>
                  {answered.map((approval) => (
                    <AnsweredItem key={approval.id} approval={approval} isChosen={approval.id === chosen} />
                  ))}
                </ul>
              </>
            )}
          </div>
        </section>
        {shown ? (
          <ApprovalDetail key={shown.id} approval={shown} pending={pending ?? []} />
        ) : (
          chosen !== undefined && <OlderApproval id={chosen} pending={pending ?? []} />
        )}
      </div>
    </main>
  )
}

interface ItemProps {
  readonly approval: Approval
  readonly isChosen: boolean
}

function PendingItem({ approval, isChosen }: ItemProps) {
  const now = useNow(10_000)
  const { id, session, tool, requested_at: at, expires_at: expires } = approval
  return (
    <li>
      <PageLink
        className="list-row"
        data-item
        to={{ is: 'approvals', id }}
        {...(isChosen && { 'aria-current': 'true' })}
      >
        <StateMark state="waiting" />
        <span className="q-main">
          <span className="row">
            <span className="w6 cut">{session}</span>
            <span className="grow" />
            <span className="s12 t3 num nowrap">{duration(now - Date.parse(at), { seconds: false })}</span>
          </span>
          <span className="cut q-sum">
            <code>
              <VisibleText text={summaryOf(approval)} />
            </code>
          </span>
          <span className="row s12 t3">
            <code className="cut">{tool}</code>
            <span className="grow" />
            <span className="num nowrap">expires in {duration(Date.parse(expires) - now, { seconds: false })}</span>
          </span>
        </span>
      </PageLink>
    </li>
  )
}

/** An approval that is no longer in the list. */
function OlderApproval({ id, pending }: { readonly id: string; readonly pending: readonly Approval[] }) {
  const { value, refused } = useLive<Approval | undefined>(`older:${id}`, ({ call }) => ({
    uris: [`resource://approvals/${id}`],
    read: async (signal) =>
      (await call<{ approvals: readonly Approval[] }>('list_approvals', { id }, signal)).approvals[0],
  }))
  if (value) return <ApprovalDetail approval={value} pending={pending} />
  return <p className="pane detail t3 p-6">{refused}</p>
}
