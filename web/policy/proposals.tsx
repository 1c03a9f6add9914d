/** Rules that agents ask for. A person accepts or rejects them. */
import { useId, useState } from 'react'
import type { Proposal } from '../../src/api/policy.ts'
import { showToast } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { useProposals } from './policy-data.ts'

type Decision = 'accept' | 'reject'

export function Proposals() {
  const { value: proposals = [] } = useProposals()
  const isLost = useIsLost()
  const [deciding, setDeciding] = useState<{ readonly proposal: Proposal; readonly decision: Decision }>()
  if (proposals.length === 0 && !deciding) return null
  return (
    <>
      <h2 className="gh q-gh">
        Proposals <span className="count">{proposals.length}</span>
      </h2>
      {proposals.map((proposal) => (
        <article key={proposal.id} className="prop" aria-label={`Proposal of ${proposal.session}`}>
          <p>
            <span className="w6">{proposal.session}</span> asks for
          </p>
          <pre className="code well wrap" tabIndex={0}>
            <VisibleText text={proposal.rules.trimEnd()} />
          </pre>
          <p className="t2 s12">
            “<VisibleText text={proposal.why} />”
          </p>
          <div className="row">
            <button className="btn" disabled={isLost} onClick={() => setDeciding({ proposal, decision: 'accept' })}>
              Accept…
            </button>
            <button
              className="btn ghost"
              disabled={isLost}
              onClick={() => setDeciding({ proposal, decision: 'reject' })}
            >
              Reject…
            </button>
          </div>
        </article>
      ))}
      {deciding && <DecideProposal {...deciding} onClose={() => setDeciding(undefined)} />}
    </>
  )
}

interface DecideProposalProps {
  readonly proposal: Proposal
  readonly decision: Decision
  onClose(): void
}

function DecideProposal({ proposal, decision, onClose }: DecideProposalProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const id = useId()
  const [reason, setReason] = useState('')
  const [failure, setFailure] = useState<string>()
  const [isSending, setIsSending] = useState(false)
  const isAccept = decision === 'accept'

  async function decide(): Promise<void> {
    setIsSending(true)
    try {
      const answer = { id: proposal.id, decision, ...(reason.trim() !== '' && { reason: reason.trim() }) }
      const { version } = await call<{ readonly version?: number }>('decide_policy_proposal', answer)
      if (version !== undefined) showToast('allow', `The policy of ${proposal.session} is now at v${version}`)
      onClose()
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      setIsSending(false)
    }
  }

  return (
    <Sheet title={isAccept ? 'Accept these rules' : 'Reject these rules'} className="small" onClose={onClose}>
      <div className="sheet-b chk">
        <pre className="code well wrap" tabIndex={0} aria-label="Rules">
          <VisibleText text={proposal.rules.trimEnd()} />
        </pre>
        <p className="t2">
          {isAccept
            ? `They are added to the policy of the session ${proposal.session}, as its next version. Rules of the hub and the template stay: the strictest match wins.`
            : `${proposal.session} goes on without them.`}
        </p>
        <div className="field">
          <label htmlFor={id}>{isAccept ? 'A note for the record (optional)' : 'Tell the agent why'}</label>
          <span className="area">
            <textarea id={id} rows={2} value={reason} onChange={(event) => setReason(event.target.value)} />
          </span>
        </div>
        {failure !== undefined && (
          <p className="row" role="alert">
            <DecisionMark name="abort" />
            <VisibleText text={failure} />
          </p>
        )}
        <div className="row">
          <span className="grow" />
          <button className="btn" onClick={onClose}>
            Back
          </button>
          <button className="btn primary" disabled={isLost || isSending} onClick={() => void decide()}>
            {isAccept ? 'Accept' : 'Reject'}
          </button>
        </div>
      </div>
    </Sheet>
  )
}
