/** Counts the earlier questions that a rule would have answered. */
import type { Approval } from '../../src/api/approval.ts'
import type { CallTool } from '../hub/hub.ts'
import { questionOf } from './question.ts'

export type Past =
  | { readonly is: 'known'; readonly allowed: number; readonly denied: number }
  | { readonly is: 'unknown' }

const weekMs = 7 * 24 * 60 * 60_000
const most = 1_000

export async function pastMatches(
  call: CallTool,
  approval: Approval,
  width: 'exact' | 'like' | 'any',
  signal: AbortSignal,
): Promise<Past> {
  const { approvals } = await call<{ approvals: readonly Approval[] }>(
    'list_approvals',
    { status: 'all', limit: most },
    signal,
  )
  const since = new Date(Date.now() - weekMs).toISOString()
  const like = approvals.filter(
    (each) => each.id !== approval.id && each.requested_at > since && isLike(each, approval, width),
  )
  const count = (...statuses: readonly string[]) => like.filter(({ status }) => statuses.includes(status)).length
  return { is: 'known', allowed: count('approved', 'consumed'), denied: count('denied', 'aborted') }
}

function isLike(one: Approval, other: Approval, width: 'exact' | 'like' | 'any'): boolean {
  if (one.tool !== other.tool) return false
  if (width === 'any') return true
  const [first, second] = [questionOf(one), questionOf(other)]
  if (first.is !== 'command' || second.is !== 'command') return one.digest === other.digest
  if (width === 'exact') return first.command === second.command
  const start = second.command.trim().split(/\s+/).slice(0, 2).join(' ')
  return first.command.startsWith(`${start} `)
}
