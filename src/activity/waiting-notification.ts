/** The notification that tells people a session waits for them. */
import type { Session } from '../api/session.ts'
import type { Notification } from '../base/notify.ts'

export type NotifiedSession = Pick<Session, 'id' | 'name' | 'activity' | 'session_url'>

/** `undefined` if the session does not wait. */
export function waitingNotification(session: NotifiedSession): Notification | undefined {
  const { id, name, activity, session_url: url } = session
  // An approval sends its own notification.
  if (activity.is !== 'waiting' || activity.source === 'approval') return undefined
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
    push: { title: name, body: 'Waits for you', tag: `session:${id}`, path: `terminal/${name}` },
  }
}
