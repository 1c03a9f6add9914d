/**
 * The part of Matrix's client-server API that a bridge needs, over `fetch`. The paths and fields are those of
 * https://spec.matrix.org/latest/client-server-api/.
 */
import { z } from 'zod'
import type { MatrixRoom } from '../../api/template.ts'
import { withoutControls } from '../../base/without-controls.ts'
import type { RoomEvent } from './matrix-answers.ts'
import { errorSchema, eventSchema, messagesSchema, receiptsSchema, shortText, syncSchema } from './matrix-answers.ts'

export interface MatrixClient {
  /** Who the access token belongs to. */
  whoAmI(): Promise<string>
  /** Takes the id or the alias of a room, and returns its id. Does nothing if the user has joined it before. */
  join(room: string): Promise<string>
  isEncrypted(roomId: string): Promise<boolean>
  /** The rooms that the user is invited to and has not joined, each with who has invited it. */
  invites(user: string): Promise<ReadonlyMap<string, string>>
  /** Who has invited the user to a room that it has joined. `undefined`: nobody has. */
  inviterOf(roomId: string, user: string): Promise<string | undefined>
  /** The events after `since`. Waits up to `timeoutMs` for one. Without `since`, returns the current state only. */
  sync(roomId: string, options: { readonly since?: string | undefined; readonly timeoutMs: number }): Promise<SyncPage>
  /** Events before the token `from`, newest first, back to the token `to`. */
  messagesBefore(roomId: string, from: string, to: string): Promise<MessagesPage>
  /** Sent twice with one transaction id, it is one event. Returns its id. */
  send(roomId: string, transaction: string, content: Readonly<Record<string, unknown>>): Promise<string>
  markRead(roomId: string, eventId: string): Promise<void>
}

export interface SyncPage {
  readonly nextBatch: string
  readonly events: readonly RoomEvent[]
  /** There are more events between `since` and the first of these. They are before this token. */
  readonly gapBefore?: string | undefined
  /** The events that others have read, with who did. */
  readonly receipts: readonly { readonly eventId: string; readonly users: readonly string[] }[]
  /** The user is no longer in the room. */
  readonly isLeft: boolean
}

export interface MessagesPage {
  readonly events: readonly RoomEvent[]
  /** `undefined`: there are no more. */
  readonly end: string | undefined
}

/** A request that the homeserver refused. */
export class MatrixError extends Error {
  override readonly name = 'MatrixError'
  readonly status: number
  readonly errcode: string
  /** The homeserver wants no request before that. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, errcode: string, message: string, retryAfterMs: number | undefined) {
    super(message)
    this.status = status
    this.errcode = errcode
    this.retryAfterMs = retryAfterMs
  }
}

/** A room event has at most 64 KiB, so that a page of events stays far below this. */
const maxResponseBytes = 32 * 1024 * 1024
/** How long an answer may take, in addition to what the homeserver was asked to wait. */
const answerMs = 30_000
/** Limits the homeserver's words about a failure, which people read. */
const longestReason = 200
const timelineLimit = 50
const messagesLimit = 100
/** Of a hundred events each, searched for an invitation. */
const mostMemberPages = 100
const eventTypes = ['m.room.message', 'm.room.encryption', 'm.room.redaction']
const none = { types: [] as string[] }

export interface MatrixClientOptions extends Pick<MatrixRoom, 'homeserver'> {
  readonly token: string
  readonly signal: AbortSignal
}

export function createMatrixClient({ homeserver, token, signal }: MatrixClientOptions): MatrixClient {
  const base = `${homeserver.replace(/\/+$/, '')}/_matrix/client/v3`

  async function request<Answer>(
    method: string,
    path: string,
    schema: z.ZodType<Answer>,
    { body, waitMs = 0 }: { readonly body?: object; readonly waitMs?: number } = {},
  ): Promise<Answer> {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A redirect could take the token to another server.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs + answerMs)]),
    })
    const answer = parseJson(await readText(response))
    if (!response.ok) throw toError(response, answer)
    const parsed = schema.safeParse(answer)
    if (parsed.success) return parsed.data
    throw new Error(`The homeserver does not answer ${method} ${path.split('?')[0]} as Matrix does.`)
  }

  const roomPath = (roomId: string) => `/rooms/${encodeURIComponent(roomId)}`

  return {
    async whoAmI() {
      return (await request('GET', '/account/whoami', z.object({ user_id: shortText }))).user_id
    },
    async join(room) {
      const joined = z.object({ room_id: shortText })
      return (await request('POST', `/join/${encodeURIComponent(room)}`, joined, { body: {} })).room_id
    },
    async isEncrypted(roomId) {
      try {
        await request('GET', `${roomPath(roomId)}/state/m.room.encryption/`, z.unknown())
        return true
      } catch (error) {
        // A proxy that does not find the homeserver answers 404 as well.
        if (error instanceof MatrixError && error.errcode === 'M_NOT_FOUND') return false
        throw error
      }
    },
    async invites(user) {
      const room = { account_data: none, state: none, ephemeral: none, timeline: { ...none, limit: 1 } }
      const filter = { presence: none, account_data: none, room }
      const query = new URLSearchParams({ filter: JSON.stringify(filter), timeout: '0' })
      const { rooms } = await request('GET', `/sync?${query}`, syncSchema)
      const found = Object.entries(rooms?.invite ?? {}).flatMap(([roomId, { invite_state }]) => {
        const invitation = invite_state?.events.find((event) => isInvitation(event, user))
        return invitation ? [[roomId, invitation.sender] as const] : []
      })
      return new Map(found)
    },
    async inviterOf(roomId, user) {
      let from: string | undefined
      for (let pages = 0; pages < mostMemberPages; pages++) {
        const query = new URLSearchParams({
          dir: 'b',
          limit: String(messagesLimit),
          filter: JSON.stringify({ types: ['m.room.member'] }),
          ...(from !== undefined && { from }),
        })
        const { chunk, end } = await request('GET', `${roomPath(roomId)}/messages?${query}`, messagesSchema)
        const invitation = chunk.find((event) => isInvitation(event, user))
        if (invitation) return invitation.sender
        if (end === undefined || end === from) return undefined
        from = end
      }
      return undefined
    },
    async sync(roomId, { since, timeoutMs }) {
      const filter = {
        presence: none,
        account_data: none,
        room: {
          rooms: [roomId],
          account_data: none,
          state: none,
          ephemeral: { types: ['m.receipt'] },
          timeline: { types: eventTypes, limit: since === undefined ? 1 : timelineLimit },
        },
      }
      const query = new URLSearchParams({
        filter: JSON.stringify(filter),
        timeout: String(timeoutMs),
        ...(since !== undefined && { since }),
      })
      const { next_batch, rooms } = await request('GET', `/sync?${query}`, syncSchema, { waitMs: timeoutMs })
      const joined = rooms?.join[roomId]
      const { events = [], limited = false, prev_batch } = joined?.timeline ?? {}
      return {
        nextBatch: next_batch,
        events,
        ...(limited && { gapBefore: prev_batch ?? next_batch }),
        isLeft: rooms !== undefined && roomId in rooms.leave,
        receipts: (joined?.ephemeral?.events ?? []).flatMap(toReceipts),
      }
    },
    async messagesBefore(roomId, from, to) {
      const filter = JSON.stringify({ types: eventTypes })
      const query = new URLSearchParams({ dir: 'b', from, to, limit: String(messagesLimit), filter })
      const { chunk, end } = await request('GET', `${roomPath(roomId)}/messages?${query}`, messagesSchema)
      return { events: chunk, end }
    },
    async send(roomId, transaction, content) {
      const path = `${roomPath(roomId)}/send/m.room.message/${encodeURIComponent(transaction)}`
      return (await request('PUT', path, eventSchema.pick({ event_id: true }), { body: content })).event_id
    },
    async markRead(roomId, eventId) {
      const body = { 'm.fully_read': eventId, 'm.read': eventId }
      await request('POST', `${roomPath(roomId)}/read_markers`, z.unknown(), { body })
    },
  }
}

function isInvitation({ type, state_key, content }: Omit<RoomEvent, 'event_id'>, user: string): boolean {
  return type === 'm.room.member' && state_key === user && content['membership'] === 'invite'
}

function toReceipts({ type, content }: { readonly type: string; readonly content?: unknown }): SyncPage['receipts'] {
  if (type !== 'm.receipt') return []
  const { data = {} } = receiptsSchema.safeParse(content)
  return Object.entries(data).map(([eventId, kinds]) => ({ eventId, users: Object.keys(kinds['m.read'] ?? {}) }))
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxResponseBytes) throw new Error('The answer of the homeserver is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A proxy in front of a homeserver may answer with a page. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toError(response: Response, answer: unknown): MatrixError {
  const { status, headers } = response
  const { errcode = '', error = '', retry_after_ms } = errorSchema.safeParse(answer).data ?? {}
  const seconds = Number(headers.get('retry-after') ?? NaN)
  const retryAfterMs = Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : retry_after_ms
  const said = withoutControls([errcode, error].filter((part) => part !== '').join(': ')).slice(0, longestReason)
  return new MatrixError(
    status,
    errcode,
    `The homeserver answered ${status}${said === '' ? '' : ` (${said})`}.`,
    retryAfterMs,
  )
}
