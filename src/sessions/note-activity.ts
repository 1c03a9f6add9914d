/**
 * What a session is doing, kept with its record: the next hub goes on from there. A change is told once, after it is
 * stored; another reason for the same is kept, and is no news.
 */
import type { Activity } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'

export interface ActivityNotesOptions {
  readonly book: Pick<SessionBook, 'change'>
  readonly events: Pick<EventLog, 'append'>
  readonly log: Log
  readonly onChange: (record: SessionRecord, activity: Activity) => void
}

export type NoteActivity = (id: string, activity: Activity) => Promise<void>

export function createActivityNotes({ book, events, log, onChange }: ActivityNotesOptions): NoteActivity {
  return async (id, activity) => {
    let isNews = false
    try {
      const record = await book.change(id, (stored) => {
        if (isOver(stored.status)) return undefined
        isNews = stored.activity?.is !== activity.is
        return { activity }
      })
      if (!record || !isNews) return
      onChange(record, activity)
      await events.append({ type: 'activity-changed', session: id, payload: activity })
    } catch (error) {
      log.error({ session: id, error }, 'what a session is doing is not stored')
    }
  }
}
