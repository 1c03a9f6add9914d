/** The entries of a thread as frames for viewers, each once: also for one who joins in the middle of a text. */
import type { Draft, Frame, ThreadEntry } from '../api/thread.ts'
import { HubError } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'

/** The position of a viewer: all entries up to `seq`, and this many characters of texts that were not finished. */
export interface Seen {
  readonly seq: number
  readonly drafts: Readonly<Record<string, number>>
}

export const nothingSeen: Seen = { seq: 0, drafts: {} }

export function toFrames(entries: readonly ThreadEntry[], drafts: readonly Draft[], seen: Seen): Frame[] {
  const at = new Date().toISOString()
  const rest = ({ key, text }: Draft) => text.slice(seen.drafts[key] ?? 0)
  return [
    ...entries.flatMap((entry) => framesOf(entry, seen)),
    ...drafts
      .filter((draft) => rest(draft) !== '')
      .map((draft): Frame => ({ type: tokenType(draft.type), key: draft.key, at, text: rest(draft) })),
  ]
}

function framesOf(entry: ThreadEntry, seen: Seen): Frame[] {
  const { key, at } = entry
  switch (entry.type) {
    case 'prompt':
      return [{ type: 'prompt', key, at, text: entry.text }]
    case 'text':
    case 'thinking': {
      const text = entry.text.slice(seen.drafts[key] ?? 0)
      return text === '' ? [] : [{ type: tokenType(entry.type), key, at, text }]
    }
    case 'tool-request': {
      const { type, callId, name, parameters } = entry
      return [{ type, key, at, callId, name, stage: 'started', parameters }]
    }
    case 'tool-result': {
      const { type, callId, name, parameters = {}, result, error } = entry
      const failure = error === undefined ? {} : { errorTrimmed: trimmed(error), errorFull: error }
      return [
        {
          type,
          key,
          at,
          callId,
          name,
          stage: error === undefined ? 'success' : 'error',
          parameters,
          result,
          ...failure,
        },
      ]
    }
    case 'complete': {
      const { type, status, reason, usage, answer } = entry
      const why = { ...(reason !== undefined && { reason }), ...(usage && { usage }) }
      const end: Frame = { type, key, at, status, ...why }
      return answer === undefined ? [end] : [{ type: 'final', key, at, text: answer }, end]
    }
    case 'error':
      return [{ type: 'error', key, at, message: entry.message }]
  }
}

function tokenType(type: Draft['type']): 'token' | 'thinking' {
  return type === 'text' ? 'token' : 'thinking'
}

const longestTrimmed = 400

function trimmed(error: string): string {
  return error.length <= longestTrimmed ? error : `${error.slice(0, longestTrimmed)}…`
}

/** A cursor is opaque to clients. */
export function writeCursor(seen: Seen): string {
  return Buffer.from(JSON.stringify([seen.seq, seen.drafts])).toString('base64url')
}

export function readCursor(cursor: string): Seen {
  const parsed = parse(Buffer.from(cursor, 'base64url').toString())
  if (Array.isArray(parsed) && Number.isSafeInteger(parsed[0]) && isRecord(parsed[1])) {
    const drafts = Object.entries(parsed[1]).filter(([, length]) => Number.isSafeInteger(length))
    return { seq: Number(parsed[0]), drafts: Object.fromEntries(drafts) as Record<string, number> }
  }
  throw new HubError('invalid', '"since": this is not a cursor of read_thread. Leave it out to read from the start.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
