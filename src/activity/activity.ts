/** Activity that agents report themselves, and notifications about sessions that wait for a person. */
import type { Log } from '../base/log.ts'
import type { Hooks, Notification } from '../base/notify.ts'
import { createNotifier } from '../base/notify.ts'
import type { Feature } from '../feature/feature.ts'
import { createReportProvider, type ReportedSessions } from './report.ts'
import { waitingNotification } from './waiting-notification.ts'

export interface ActivityOptions {
  readonly sessions: ReportedSessions
  readonly hooks: Hooks
  readonly urlOf: (session: string) => string
  readonly log: Log
}

export function createActivity({ sessions, hooks, urlOf, log }: ActivityOptions): Feature & AsyncDisposable {
  const notifier = createNotifier(hooks, log)
  const reports = createReportProvider(sessions)
  /** An agent may change its activity at any rate, so at most one notification of each session waits: the latest. */
  const latest = new Map<string, Notification>()

  function take(id: string): Notification | undefined {
    const waiting = latest.get(id)
    latest.delete(id)
    return waiting
  }

  return {
    providersOf: () => [reports],
    on: {
      'session-activity-changed'({ session: id, name, activity }) {
        const waiting = waitingNotification({ id, name, activity, session_url: urlOf(name) })
        if (!waiting || !notifier.isOn) return
        const isQueued = latest.has(id)
        latest.set(id, waiting)
        if (!isQueued) notifier.notify(async () => take(id), { session: id })
      },
    },
    [Symbol.asyncDispose]: () => notifier[Symbol.asyncDispose](),
  }
}
