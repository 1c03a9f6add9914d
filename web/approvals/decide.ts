/** Answers an approval. */
import { useRef, useState, type KeyboardEvent } from 'react'
import type { Approval, ApprovalDecision, ApprovalScope } from '../../src/api/approval.ts'
import { isTyping } from '../app/keys.ts'
import { showFailure, showToast } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { noteOwnAnswer } from './answered-elsewhere.ts'

export interface GrantRule {
  readonly tool: string
  readonly when?: Readonly<Record<string, unknown>>
  readonly session?: boolean
}

export interface Answer {
  readonly decision: ApprovalDecision
  readonly scope?: ApprovalScope
  readonly reason?: string
  readonly rule?: GrantRule
}

export interface Deciding {
  /** No answer is possible now: one is on its way, or the hub is lost. */
  readonly isBusy: boolean
  decide(answer: Answer): Promise<void>
}

interface Decided extends Approval {
  readonly note?: string
}

export function useDecide({ id }: Pick<Approval, 'id'>): Deciding {
  const { call } = useHub()
  const isLost = useIsLost()
  const [isSending, setIsSending] = useState(false)
  return {
    isBusy: isLost || isSending,
    async decide(answer) {
      if (isLost || isSending) return
      setIsSending(true)
      noteOwnAnswer(id)
      try {
        const { note } = await call<Decided>('decide_approval', { id, ...answer })
        if (note !== undefined) showToast('info', note)
      } catch (error) {
        showFailure(error)
      } finally {
        setIsSending(false)
      }
    },
  }
}

/** Somebody who types when a question appears must not answer it by accident. */
const sleepMs = 400

export type ApprovalKeys = Readonly<Partial<Record<'a' | 's' | 'r' | 'd' | 'x', () => void>>>

/** The keys of an approval work while the focus is in it. */
export function useApprovalKeys(keys: ApprovalKeys): (event: KeyboardEvent) => void {
  const appearedAt = useRef(performance.now())
  return (event) => {
    const action = keys[event.key as keyof ApprovalKeys]
    const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey
    if (!action || !isPlain || isTyping(event.target)) return
    if (performance.now() - appearedAt.current < sleepMs) return
    event.preventDefault()
    event.stopPropagation()
    action()
  }
}
