/**
 * Carries messages and read marks between the chat of one session and its room, until the session ends.
 *
 *   enter     join the room, and read what happened while the hub was away
 *   receive   sync → messages, read marks and sync token in one transaction
 *   send      the messages that the room does not have, oldest first; then the agent's read mark
 *
 * Nothing is doubled: an event is stored once, by its id. A message has one transaction id, and the event holds it, so
 * that a new hub knows a message it has sent already, even after the homeserver has forgotten the transaction.
 */
import { setTimeout } from 'node:timers/promises'
import type { ChatMessage, MatrixStatus } from '../../api/chat.ts'
import type { MatrixRoom } from '../../api/template.ts'
import { backoffMs } from '../../base/backoff.ts'
import { messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { MatrixClient } from './matrix-client.ts'
import { createMatrixClient, MatrixError } from './matrix-client.ts'
import { readSync, toContent, transactionOf } from './room-messages.ts'
import type { RoomStore } from '../store/room-store.ts'
import { readGap } from './sync-gap.ts'

export interface Bridge extends AsyncDisposable {
  readonly status: MatrixStatus
  /** There may be something to send. */
  wake(): void
  /** Sends the remaining messages, then ends. Resolves when it has ended. */
  finish(): Promise<void>
}

export interface BridgeOptions {
  readonly session: { readonly id: string; readonly name: string }
  readonly room: MatrixRoom
  readonly token: string
  readonly rows: RoomStore
  /** Removes what must not be stored. */
  readonly clean: (text: string) => string
  readonly onReceived: (message: ChatMessage) => Promise<void>
  /** The status may have changed. */
  readonly onChange: () => void
  readonly log: Log
}

/** The homeserver answers a sync after this time, if nothing happens. Proxies often cut longer requests. */
const syncMs = 30_000
const retries = { firstMs: 1_000, longestMs: 5 * 60_000 }
/** A homeserver that asks for a longer pause is asked again after this one. */
const longestPauseMs = 60 * 60_000

type Work = 'enter' | 'receive' | 'send'

/** The bridge cannot work, and no retry will help. */
class CannotBridge extends Error {}

export function createBridge({ session, room, token, rows, clean, onReceived, onChange, log }: BridgeOptions): Bridge {
  const stopping = new AbortController()
  /** Ends earlier than the rest: nothing is received for an ended session. */
  const receiving = new AbortController()
  const receiveSignal = AbortSignal.any([stopping.signal, receiving.signal])
  const { homeserver } = room
  const client = createMatrixClient({ homeserver, token, signal: stopping.signal })
  const reader = createMatrixClient({ homeserver, token, signal: receiveSignal })
  const place = { user: '', roomId: '' }
  let speakers: readonly string[] = room.users
  let state: MatrixStatus['is'] = 'connecting'
  /** Why a part of the work does not succeed now. */
  const reasons = new Map<Work, string>()
  let isWoken = false
  let wake = () => {}

  async function enter(): Promise<boolean> {
    place.user = await client.whoAmI()
    const invites = speakers.length > 0 ? new Map<string, string>() : await client.invites(place.user)
    place.roomId = await client.join(room.room)
    if (speakers.length === 0) speakers = [await findInviter(invites)]
    if (await client.isEncrypted(place.roomId)) throw encrypted()
    // Before anything is sent: this brings the events of messages that an earlier hub has sent and not noted.
    await receive(client, 0)
    return true
  }

  /** The same for the whole session, also if another user removes the bridge and invites it again. */
  async function findInviter(invites: ReadonlyMap<string, string>): Promise<string> {
    const { invitedBy } = await rows.placeOf(session.id)
    if (invitedBy !== undefined) return invitedBy
    const found = invites.get(place.roomId) ?? (await client.inviterOf(place.roomId, place.user))
    if (found === undefined) throw uninvited(place.user)
    await rows.noteInviter(session.id, found)
    return found
  }

  async function receive(from: MatrixClient, timeoutMs: number): Promise<void> {
    const { since, lastEvent } = await rows.placeOf(session.id)
    const page = await from.sync(place.roomId, { since, timeoutMs })
    if (page.isLeft) {
      // Someone has removed the bridge from the room, and may have invited it again.
      await from.join(room.room)
      throw new Error('The account of the bridge was removed from the room.')
    }
    const missed = since === undefined ? [] : await readGap(from, place.roomId, page, { since, lastEvent })
    const events = [...missed, ...page.events]
    const received = readSync({ ...page, events }, { sessionId: session.id, user: place.user, speakers, clean })
    // The bridge skips what happened before the session, and after its end.
    const changes = since === undefined || receiving.signal.aborted ? [] : received.changes
    for (const message of await rows.receive(session.id, { ...received, changes })) await onReceived(message)
    if (events.some(({ type }) => type === 'm.room.encryption')) throw encrypted()
  }

  async function sendAll(): Promise<void> {
    for (;;) {
      const message = await rows.nextUnsent(session.id)
      if (!message) break
      await rows.noteSent(session.id, message.id, await send(message))
    }
    const receipt = await rows.nextReceipt(session.id)
    if (!receipt) return
    await client.markRead(place.roomId, receipt.eventId).catch((error: unknown) => {
      // The event may be gone. A later one will be marked as read.
      if (!isRefused(error, [400, 404])) throw error
    })
    await rows.noteReceipt(session.id, receipt.messageId)
  }

  /** `undefined`: the room does not take this message. The chat of the session still has it. */
  async function send(message: ChatMessage): Promise<string | undefined> {
    const answered = message.replies_to === undefined ? undefined : await rows.eventOf(session.id, message.replies_to)
    const content = toContent(session.id, message, answered)
    try {
      return await client.send(place.roomId, transactionOf(session.id, message.id), content)
    } catch (error) {
      if (error instanceof MatrixError && error.status === 403) await client.join(room.room)
      if (!isRefused(error, [400, 413])) throw error
      log.warn({ session: session.id, message: message.id, error }, 'a Matrix room refused a chat message')
      return undefined
    }
  }

  /** Runs a step again and again until it returns true. After a failure it waits, longer after each in a row. */
  async function repeat(work: Work, signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      try {
        const isDone = await step()
        failures = 0
        noteReason(work, undefined)
        if (isDone) return
      } catch (error) {
        if (error instanceof CannotBridge) throw error
        if (signal.aborted) return
        failures++
        const reason = reasonOf(error)
        noteReason(work, reason)
        if (failures === 1) log.warn({ session: session.id, reason }, 'a Matrix room cannot be reached; trying again')
        await setTimeout(pauseAfter(error, failures), undefined, { signal }).catch(() => {})
      }
    }
  }

  async function untilWoken(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    if (!isWoken && !receiveSignal.aborted) await promise
    isWoken = false
  }

  async function run(): Promise<void> {
    try {
      await repeat('enter', stopping.signal, enter)
      state = 'connected'
      onChange()
      await Promise.all([
        repeat('receive', receiveSignal, async () => {
          await receive(reader, syncMs)
          // Another hub of the same database may have stored a message.
          wakeUp()
          return false
        }),
        repeat('send', stopping.signal, async () => {
          await sendAll()
          noteReason('send', undefined)
          if (receiving.signal.aborted) return true
          await untilWoken()
          return false
        }),
      ])
    } catch (error) {
      // Also ends the other loop.
      stopping.abort()
      const reason = messageOf(error)
      noteReason('enter', reason)
      log.warn({ session: session.id, reason }, 'a chat is not bridged to its Matrix room')
    }
  }

  function noteReason(work: Work, reason: string | undefined): void {
    if (reasons.get(work) === reason) return
    if (reason === undefined) reasons.delete(work)
    else reasons.set(work, reason)
    onChange()
  }

  function wakeUp(): void {
    isWoken = true
    wake()
  }

  receiveSignal.addEventListener('abort', wakeUp)
  const running = run()
  return {
    get status(): MatrixStatus {
      const [reason] = reasons.values()
      const about = { room: room.room, speakers: [...speakers] }
      return reason === undefined ? { ...about, is: state } : { ...about, is: 'failed', reason }
    },
    wake: wakeUp,
    finish() {
      receiving.abort()
      return running
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

function encrypted(): CannotBridge {
  return new CannotBridge('The room is encrypted, and the bridge cannot read encrypted messages. Use another room.')
}

function uninvited(user: string): CannotBridge {
  return new CannotBridge(
    `No user may speak in the room: ${user} was not invited to it, and the template names no users. List them in "chat.matrix.users", and start a session again.`,
  )
}

/** `fetch` says only that it failed. Its cause says why. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause ? error.cause : error)
}

/** The homeserver itself, and not a proxy before it, will never take this request. */
function isRefused(error: unknown, statuses: readonly number[]): boolean {
  return error instanceof MatrixError && error.errcode !== '' && statuses.includes(error.status)
}

/** The pause that the homeserver asks for, and then the jitter, so that several bridges do not come back at once. */
function pauseAfter(error: unknown, failures: number): number {
  const wanted = error instanceof MatrixError ? (error.retryAfterMs ?? 0) : 0
  return Math.min(wanted + backoffMs(retries, failures), longestPauseMs)
}
