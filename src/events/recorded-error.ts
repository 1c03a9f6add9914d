/** The error in the payload of an event, as people read it: the sentence that the caller got, without stack and cause. */
import type { NewEvent } from '../api/event.ts'
import { ToldError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'

/** The log has the whole error, if its caller was not told what it is. */
export function withRecordedError(event: NewEvent, log: Pick<Log, 'error'> | undefined): NewEvent {
  const { error, outcome } = event.payload as { readonly error?: unknown; readonly outcome?: unknown }
  if (!(error instanceof Error)) return event
  const withError = (plain: object) => ({ ...event, payload: { ...event.payload, error: plain } }) as NewEvent
  // The fields of the class. Stack and cause are not among them.
  if (error instanceof ToldError) {
    return withError({ ...Object.fromEntries(Object.entries(error)), name: error.name, message: error.message })
  }
  // The reason of the signal, which says only that it was aborted.
  if (outcome === 'cancelled' || error.name === 'AbortError')
    return withError({ name: 'Error', message: 'The call was cancelled.' })
  const { type, session, correlation } = event
  log?.error({ type, session, correlation, error }, 'a call failed, and the hub does not know why')
  const place = correlation === undefined ? '' : ` under ${correlation}`
  return withError({ name: 'Error', message: `The hub failed. Its log says more${place}.` })
}
