/** Turns messages of a chat into those of a room, and what happened in the room into changes of the chat. */
import type { ChatMessage } from '../../api/chat.ts'
import { maxMessageBytes } from '../../api/chat.ts'
import { withoutControls } from '../../base/without-controls.ts'
import type { SyncPage } from './matrix-client.ts'
import type { Received } from '../store/room-store.ts'

/** The member of our events that holds their transaction id. Others leave it as it is. */
const transactionKey = 'io.signalbox.transaction'
/** An event has at most 64 KiB in JSON, with everything that the homeserver adds. */
const maxBodyBytes = 48 * 1024

export function transactionOf(sessionId: string, messageId: number): string {
  return `signalbox-${sessionId}-${messageId}`
}

export function toContent(sessionId: string, { id, side, content }: ChatMessage): Readonly<Record<string, unknown>> {
  const text = withoutControls(content)
  return {
    msgtype: 'm.text',
    body: cutJson(side === 'agent' ? text : `A person wrote at the hub: ${text}`, maxBodyBytes),
    // A message of an agent mentions no user, so it does not ring a phone.
    'm.mentions': {},
    [transactionKey]: transactionOf(sessionId, id),
  }
}

export interface Reader {
  readonly sessionId: string
  /** Our own user. */
  readonly user: string
  readonly clean: (text: string) => string
}

export function readSync(
  { nextBatch, events, receipts }: Pick<SyncPage, 'nextBatch' | 'events' | 'receipts'>,
  { sessionId, user, clean }: Reader,
): Received {
  const prefix = transactionOf(sessionId, 0).slice(0, -1)
  return {
    since: nextBatch,
    lastEvent: events.at(-1)?.event_id,
    messages: events.flatMap(({ event_id: eventId, type, sender, content }) => {
      const { msgtype, body } = content
      // The bridge of another session speaks for an agent, not for a person.
      const isForeign = sender !== user && !(transactionKey in content)
      if (!isForeign || type !== 'm.room.message' || msgtype !== 'm.text' || typeof body !== 'string') return []
      const text = cutBytes(clean(body), maxMessageBytes)
      return text.trim() === '' ? [] : [{ eventId, author: clean(sender), content: text }]
    }),
    echoes: events.flatMap(({ event_id: eventId, sender, content, unsigned }) => {
      const transaction = content[transactionKey] ?? unsigned?.transaction_id
      if (sender !== user || typeof transaction !== 'string' || !transaction.startsWith(prefix)) return []
      const messageId = Number(transaction.slice(prefix.length))
      return Number.isSafeInteger(messageId) && messageId > 0 ? [{ eventId, messageId }] : []
    }),
    readEvents: receipts.filter(({ users }) => users.some((each) => each !== user)).map(({ eventId }) => eventId),
  }
}

const cutNote = '\n… (cut; the hub has the whole message)'

/** Cuts a text so that it fits in JSON. */
function cutJson(text: string, maxBytes: number): string {
  const bytesOf = (part: string) => Buffer.byteLength(JSON.stringify(part))
  if (bytesOf(text) <= maxBytes) return text
  let length = text.length
  while (bytesOf(text.slice(0, length) + cutNote) > maxBytes) length = Math.floor(length * 0.9)
  return text.slice(0, length).toWellFormed() + cutNote
}

function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  return bytes.subarray(0, maxBytes).toString('utf8').replace(/�+$/, '')
}
