/** The approvals of a session: first those that wait, which are answered in place, then those that were answered. */
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { AnsweredItem } from '../approvals/answered-item.tsx'
import { useLive } from '../hub/hub-context.tsx'
import { Ask } from './ask.tsx'

export interface ApprovalsTabProps {
  readonly session: Session
  readonly pending: readonly Approval[]
}

const shown = 200

export default function ApprovalsTab({ session, pending }: ApprovalsTabProps) {
  const { value, refused } = useLive<readonly Approval[]>(`answered:${session.id}`, ({ call }) => ({
    uris: [`resource://sessions/${session.id}/approvals`],
    async read(signal) {
      const args = { session: session.id, status: 'all', limit: shown }
      const { approvals } = await call<{ approvals: readonly Approval[] }>('list_approvals', args, signal)
      return approvals.filter(({ status }) => status !== 'pending')
    },
  }))
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Approvals of this session">
      <div className="tab-asks">
        {pending.map((approval) => (
          <Ask key={approval.id} approval={approval} isNext={false} />
        ))}
      </div>
      {pending.length === 0 && <p className="t3 p-4">Nothing waits for you.</p>}
      {refused !== undefined && <p className="t3 px-4">{refused}</p>}
      {value && value.length > 0 && (
        <>
          <h2 className="gh q-gh">
            Answered <span className="count">{value.length}</span>
          </h2>
          <ul>
            {value.map((approval) => (
              <AnsweredItem key={approval.id} approval={approval} isChosen={false} />
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
