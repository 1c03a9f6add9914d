/**
 * Stores the activity of a session with its record, so that the next hub continues from it. A change is reported once,
 * after it is stored. A new reason for the same activity is stored and not reported. While an approval is pending, the
 * approval is reported instead.
 */
import type { Activity } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRecord } from './session-store.ts'

export interface ActivityRecorderOptions {
  readonly registry: Pick<SessionRegistry, 'change'>
  readonly events: Pick<EventLog, 'append'>
  readonly log: Log
  /** Whether a pending approval hides the session's own activity. */
  readonly isCovered: (id: string) => boolean
  readonly onChange: (record: SessionRecord, activity: Activity) => void
}

export interface ActivityRecorder {
  /** Stores the activity, and reports it if it has changed. */
  keep(id: string, activity: Activity): Promise<void>
  /** Reports without storing: a pending approval, or the activity that shows again after it. */
  report(record: SessionRecord, activity: Activity): Promise<void>
}

export function createActivityRecorder(options: ActivityRecorderOptions): ActivityRecorder {
  const { registry, events, log, isCovered, onChange } = options

  /** The last activity of the sessions whose activity is being stored. */
  const latest = new Map<string, Activity>()

  async function report(record: SessionRecord, activity: Activity): Promise<void> {
    try {
      onChange(record, activity)
      await events.append({ type: 'activity-changed', session: record.id, payload: activity })
    } catch (error) {
      log.error({ session: record.id, error }, 'could not write a change of activity to the event log')
    }
  }

  async function store(id: string, activity: Activity): Promise<void> {
    let hasChanged = false
    try {
      const record = await registry.change(id, (stored) => {
        if (isOver(stored.status)) return undefined
        hasChanged = stored.activity?.is !== activity.is
        return { activity }
      })
      if (record && hasChanged && !isCovered(id)) await report(record, activity)
    } catch (error) {
      log.error({ session: id, error }, 'could not store the activity of a session')
    }
  }

  return {
    report,
    async keep(id, activity) {
      // A program can change it at any rate. While one change is being stored, only the last one after it counts.
      const isStoring = latest.has(id)
      latest.set(id, activity)
      if (isStoring) return
      for (
        let next: Activity | undefined = activity;
        next;
        next = latest.get(id) === next ? undefined : latest.get(id)
      ) {
        await store(id, next)
      }
      latest.delete(id)
    },
  }
}
