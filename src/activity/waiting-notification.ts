/** What people outside are told of a session that waits for them. */
import type { Session } from '../api/session.ts'
import type { Notification } from '../base/notify.ts'

export type NotifiedSession = Pick<Session, 'id' | 'name' | 'activity' | 'session_url'>

/** `undefined`: it does not wait, and nobody needs to know. */
export function waitingNotification(session: NotifiedSession): Notification | undefined {
  const { name, activity, session_url: url } = session
  if (activity.is !== 'waiting') return undefined
  const { reason } = activity
  return {
    text: `${name} waits for you${reason === undefined ? '' : ` (${reason})`}: ${url}`,
    kind: 'session',
    about: session,
    variables: {
      SIGNALBOX_WAITING_SESSION: name,
      SIGNALBOX_WAITING_REASON: reason ?? '',
      SIGNALBOX_WAITING_URL: url,
    },
  }
}
