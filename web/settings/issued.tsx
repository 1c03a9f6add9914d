/** The text of a new token. It is nowhere else. */
import { CopyButton } from './copy-button.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import type { IssuedToken } from './issue-token.tsx'
import { expiryWords } from './token-words.ts'

export function Issued({ issued, onDone }: { readonly issued: IssuedToken; onDone(): void }) {
  const expiry = issued.expires_at === undefined ? 'no expiry' : `until ${expiryWords(issued)}`
  return (
    <div className="issued" role="status">
      <DecisionMark name="info" />
      <div className="grow">
        <p>
          <b className="w6">Copy it now; it is shown once.</b>{' '}
          <span className="t2">
            {issued.label ?? issued.id}, {issued.role}, {expiry}
          </span>
        </p>
        <div className="row tokline">
          <code className="cut">{issued.token}</code>
          <CopyButton text={issued.token} />
          <button className="btn ghost" onClick={onDone}>
            Done
          </button>
        </div>
      </div>
    </div>
  )
}
