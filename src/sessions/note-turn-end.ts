/** The last message of a session says why its last turn failed, until a turn ends well. */
import { isOver } from '../api/session.ts'
import type { TurnStatus } from '../api/thread.ts'
import type { SessionRegistry } from './session-registry.ts'

const failed = 'The last turn failed: '

export async function noteTurnEnd(
  registry: Pick<SessionRegistry, 'change'>,
  session: string,
  {
    status,
    reason = 'its agent does not say why.',
  }: { readonly status: TurnStatus; readonly reason?: string | undefined },
): Promise<void> {
  await registry.change(session, (record) => {
    // The end of a session has a message of its own.
    if (isOver(record.status)) return undefined
    if (status === 'failed') return { lastMessage: `${failed}${reason}` }
    return record.lastMessage?.startsWith(failed) ? { lastMessage: undefined } : undefined
  })
}
