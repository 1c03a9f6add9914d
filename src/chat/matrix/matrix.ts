/** The bridges of all sessions whose template names a Matrix room. */
import type { ChatMessage, MatrixStatus } from '../../api/chat.ts'
import type { SessionStatus } from '../../api/session.ts'
import { isOver } from '../../api/session.ts'
import type { MatrixRoom } from '../../api/template.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { Redactor } from '../../base/redact.ts'
import type { Store } from '../../store/store.ts'
import type { Bridge } from './bridge.ts'
import { createBridge } from './bridge.ts'
import { createRoomStore } from '../store/room-store.ts'

export interface MatrixBridges extends AsyncDisposable {
  /** Throws if the environment of the hub does not have the access token. */
  add(session: BridgedSession, room: MatrixRoom): Promise<void>
  /** Continues the bridges of an earlier hub. */
  start(): Promise<void>
  /** There may be something to send. */
  wake(sessionId: string): void
  finish(sessionId: string): void
  /** `undefined`: the chat is not bridged. */
  statusOf(sessionId: string): MatrixStatus | undefined
}

interface BridgedSession {
  readonly id: string
  readonly name: string
}

export interface MatrixOptions {
  readonly store: Store
  readonly hubId: string
  readonly redactor: Pick<Redactor, 'addSecret'>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clean: (text: string) => string
  readonly onReceived: (session: BridgedSession, message: ChatMessage) => Promise<void>
  /** The status of a bridge may have changed. */
  readonly onChange: (sessionId: string) => void
  readonly log: Log
}

export function createMatrixBridges(options: MatrixOptions): MatrixBridges {
  const { store, hubId, redactor, environment, clean, onReceived, onChange, log } = options
  const rows = createRoomStore(store, hubId)
  const bridges = new Map<string, Bridge>()
  /** Those of an earlier hub that this one cannot continue, by session. */
  const failed = new Map<string, MatrixStatus>()

  function tokenOf({ token_env: variable }: MatrixRoom): string {
    const token = environment[variable]
    if (!token) {
      throw new HubError(
        'unavailable',
        `The chat is to be bridged to Matrix, but the environment of the hub has no ${variable}. Start the hub with the access token in it.`,
      )
    }
    redactor.addSecret(token)
    return token
  }

  function open(session: BridgedSession, room: MatrixRoom): void {
    const token = tokenOf(room)
    const received = (message: ChatMessage) => onReceived(session, message)
    const changed = () => onChange(session.id)
    const parts = { session, room, token, rows, clean, log }
    bridges.set(session.id, createBridge({ ...parts, onReceived: received, onChange: changed }))
  }

  function finish(sessionId: string): void {
    failed.delete(sessionId)
    void bridges
      .get(sessionId)
      ?.finish()
      .then(() => bridges.delete(sessionId))
  }

  return {
    async add(session, room) {
      tokenOf(room)
      await rows.add(session.id, room)
      open(session, room)
    },
    async start() {
      for (const { session, ...room } of await rows.list()) {
        const isEnded = isOver(session.status as SessionStatus)
        if (isEnded && !(await rows.nextUnsent(session.id))) continue
        try {
          open(session, room)
          if (isEnded) finish(session.id)
        } catch (error) {
          const { room: name, users } = room
          if (!isEnded) failed.set(session.id, { room: name, is: 'failed', reason: messageOf(error), speakers: users })
          log.warn({ session: session.id, error }, 'a chat is not bridged to its Matrix room')
        }
      }
    },
    wake: (sessionId) => bridges.get(sessionId)?.wake(),
    finish,
    statusOf: (sessionId) => bridges.get(sessionId)?.status ?? failed.get(sessionId),
    async [Symbol.asyncDispose]() {
      await Promise.all([...bridges.values()].map((bridge) => bridge[Symbol.asyncDispose]()))
    },
  }
}
