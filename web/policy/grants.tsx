/** The grants, each with a button to revoke it. */
import { useState } from 'react'
import type { Grant } from '../../src/api/approval.ts'
import { showFailure } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { useGrants } from './policy-data.ts'

export function Grants() {
  const { value: grants = [] } = useGrants()
  if (grants.length === 0) return null
  return (
    <>
      <h2 className="gh q-gh">
        Grants <span className="count">{grants.length}</span>
      </h2>
      <ul aria-label="Grants">
        {grants.map((grant) => (
          <GrantItem key={grant.id} grant={grant} />
        ))}
      </ul>
    </>
  )
}

function GrantItem({ grant }: { readonly grant: Grant }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [isSending, setIsSending] = useState(false)
  const { id, tool, when, session } = grant

  async function revoke(): Promise<void> {
    setIsSending(true)
    await call('revoke_grant', { id }).catch(showFailure)
    setIsSending(false)
  }

  return (
    <li className="g-item">
      <span className="g-what">
        <code className="cut">
          <VisibleText text={tool} />
        </code>
        {when && (
          <code className="cut s11 t3">
            <VisibleText text={JSON.stringify(when)} />
          </code>
        )}
      </span>
      <span className="s12 t3 cut g-who">{session ?? 'all sessions'}</span>
      <button
        className="link s12"
        aria-label={`Revoke the grant of ${tool} for ${session ?? 'all sessions'}`}
        disabled={isLost || isSending}
        onClick={() => void revoke()}
      >
        Revoke
      </button>
    </li>
  )
}
