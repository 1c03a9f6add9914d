/** Turns messages of a chat into those of a room, and what happened in the room into changes of the chat. */
import { z } from 'zod'
import type { ChatMessage } from '../../api/chat.ts'
import { maxMessageBytes } from '../../api/chat.ts'
import { withoutControls } from '../../base/without-controls.ts'
import type { RoomEvent } from './matrix-answers.ts'
import type { SyncPage } from './matrix-client.ts'
import type { Received, RoomChange } from '../store/room-store.ts'

/** The member of our events that holds their transaction id. Others leave it as it is. */
const transactionKey = 'io.signalbox.transaction'
/** An event has at most 64 KiB in JSON, with everything that the homeserver adds. */
const maxBodyBytes = 48 * 1024

export function transactionOf(sessionId: string, messageId: number): string {
  return `signalbox-${sessionId}-${messageId}`
}

/** `answered`: the event of the message that it replies to, if the room has it. */
export function toContent(
  sessionId: string,
  { id, side, content }: ChatMessage,
  answered: string | undefined,
): Readonly<Record<string, unknown>> {
  const text = withoutControls(content)
  return {
    msgtype: 'm.text',
    body: cutJson(side === 'agent' ? text : `A person wrote at the hub: ${text}`, maxBodyBytes),
    // A message of an agent mentions no user, so it does not ring a phone.
    'm.mentions': {},
    ...(answered !== undefined && { 'm.relates_to': { 'm.in_reply_to': { event_id: answered } } }),
    [transactionKey]: transactionOf(sessionId, id),
  }
}

export interface Reader {
  readonly sessionId: string
  /** Our own user. */
  readonly user: string
  /** The users who may speak. */
  readonly speakers: readonly string[]
  readonly clean: (text: string) => string
}

export function readSync(
  { nextBatch, events, receipts }: Pick<SyncPage, 'nextBatch' | 'events' | 'receipts'>,
  reader: Reader,
): Received {
  const { sessionId, user, speakers } = reader
  const prefix = transactionOf(sessionId, 0).slice(0, -1)
  return {
    since: nextBatch,
    lastEvent: events.at(-1)?.event_id,
    changes: events.flatMap((event) => changeIn(event, reader) ?? []),
    echoes: events.flatMap(({ event_id: eventId, sender, content, unsigned }) => {
      const transaction = content[transactionKey] ?? unsigned?.transaction_id
      if (sender !== user || typeof transaction !== 'string' || !transaction.startsWith(prefix)) return []
      const messageId = Number(transaction.slice(prefix.length))
      return Number.isSafeInteger(messageId) && messageId > 0 ? [{ eventId, messageId }] : []
    }),
    readEvents: receipts
      .filter(({ users }) => users.some((each) => speakers.includes(each)))
      .map(({ eventId }) => eventId),
  }
}

function changeIn(
  { event_id: eventId, type, sender, content, redacts }: RoomEvent,
  { user, speakers, clean }: Reader,
): RoomChange | undefined {
  // The homeserver decides who may redact, such as a moderator.
  if (type === 'm.room.redaction') {
    const of = redacts ?? content['redacts']
    return typeof of === 'string' ? { is: 'redaction', of, author: clean(sender) } : undefined
  }
  // The bridge of another session speaks for an agent, not for a person.
  const isForeign = sender !== user && !(transactionKey in content)
  if (!isForeign || type !== 'm.room.message' || !speakers.includes(sender)) return undefined
  const { replaced, answered } = relationsSchema.parse(content['m.relates_to'])
  const said = textSchema.safeParse(replaced === undefined ? content : content['m.new_content']).data?.body
  if (said === undefined) return undefined
  const text = cutBytes(clean(answered === undefined ? said : withoutQuote(said)), maxMessageBytes)
  if (text.trim() === '') return undefined
  const message = { eventId, author: clean(sender), content: text }
  if (replaced !== undefined) return { is: 'edit', ...message, of: replaced }
  return { is: 'message', ...message, repliesTo: answered }
}

const textSchema = z.object({ msgtype: z.literal('m.text'), body: z.string() })
const relationsSchema = z
  .object({
    rel_type: z.string().optional().catch(undefined),
    event_id: z.string().optional().catch(undefined),
    is_falling_back: z.boolean().optional().catch(undefined),
    'm.in_reply_to': z.object({ event_id: z.string() }).optional().catch(undefined),
  })
  .catch({})
  .transform(({ rel_type, event_id, is_falling_back, 'm.in_reply_to': reply }) => ({
    replaced: rel_type === 'm.replace' ? event_id : undefined,
    // In a thread, it only shows clients without threads where the message belongs.
    answered: is_falling_back === true ? undefined : reply?.event_id,
  }))

/** Older clients quote what they answer, in lines before the answer. */
function withoutQuote(text: string): string {
  return text.replace(/^(> .*\n)+\n?/, '')
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
