/** Tells the person that somebody else answered a question that this page showed. */
import { useEffect, useRef } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import { showToast } from '../app/toasts.tsx'
import { useHub } from '../hub/hub-context.tsx'
import { usePendingApprovals } from '../hub/hub-data.ts'
import { outcomeOf, summaryOf } from './question.ts'

const answeredHere = new Set<string>()

export function noteOwnAnswer(id: string): void {
  answeredHere.add(id)
}

export function useElsewhereToasts(): void {
  const { call } = useHub()
  const { value: approvals } = usePendingApprovals()
  const before = useRef<readonly Approval[]>([])
  useEffect(() => {
    if (!approvals) return
    const gone = before.current.filter(({ id }) => !approvals.some((each) => each.id === id) && !answeredHere.has(id))
    before.current = approvals
    for (const { id } of gone.slice(0, 1)) {
      call<{ approvals: readonly Approval[] }>('list_approvals', { id })
        .then(({ approvals: [answered] }) => {
          if (answered?.decided_by === undefined) return
          const isAllowed = answered.status === 'approved' || answered.status === 'consumed'
          showToast(isAllowed ? 'allow' : 'deny', `Answered elsewhere: ${summaryOf(answered)} ${outcomeOf(answered)}`)
        })
        // The list already shows that it is answered.
        .catch(() => {})
    }
  }, [approvals, call])
}
