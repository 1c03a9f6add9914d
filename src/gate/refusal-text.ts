import type { Refused } from './authorization.ts'

/** Tells the agent why its call did not run, and what to do now. */
export function refusalText(refused: Refused, tool: string): string {
  const { reason } = refused
  const because = reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`
  const isByPolicy = refused.by === 'policy'
  switch (refused.status) {
    case 'denied':
      return `${isByPolicy ? 'The policy denies' : 'A person denied'} ${tool}${because}. Go on without it.`
    case 'aborted':
      return `${isByPolicy ? 'The policy forbids' : 'A person stopped'} ${tool}${because}. End your turn.`
    case 'expired':
      return `No person approved ${tool} in time, so it is denied.`
    case 'abandoned':
      return `The request for approval of ${tool} was abandoned. It has not run.`
    case 'failed':
      return `The policy could not be evaluated for ${tool}${because}. It has not run.`
  }
}
