/** The arguments by which tools name a thread. */
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'

export const subject = {
  session: z.string().min(1).max(200).optional().describe('Name or id: its newest thread.'),
  thread: z.string().min(1).max(200).optional().describe('The id of a thread, instead of a session.'),
}

interface Subject {
  readonly session?: string | undefined
  readonly thread?: string | undefined
}

export function nameIn({ session, thread }: Subject): string {
  const name = thread ?? session
  if (name !== undefined && (thread === undefined || session === undefined)) return name
  throw new HubError('invalid', 'Give "session", the name of a session, or "thread", the id of a thread.')
}
