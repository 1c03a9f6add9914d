/** `Wants to run a command` */
import type { Approval } from '../../src/api/approval.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { questionOf, titleOf } from './question.ts'

export function Wants({ approval }: { readonly approval: Approval }) {
  if (questionOf(approval).is === 'call') {
    return (
      <>
        Wants to call{' '}
        <code>
          <VisibleText text={approval.tool} />
        </code>
      </>
    )
  }
  const title = titleOf(approval)
  return `Wants to ${title.slice(0, 1).toLowerCase()}${title.slice(1)}`
}
