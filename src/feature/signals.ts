/**
 * Signals let one feature react to another without knowing it. A signal is not an event: it is not recorded, and it does
 * not outlive the hub.
 */
import type { PendingApprovals } from '../api/approval.ts'
import type { ChatSide } from '../api/chat.ts'
import type { Activity } from '../api/session.ts'
import type { TurnStatus } from '../api/thread.ts'
import type { Log } from '../base/log.ts'

/** Every signal with its payload. `session` is the id of a session. */
export interface HubSignals {
  /** A token was issued or revoked. */
  'tokens-changed': object
  /** A token was revoked or has expired: everything it has open must be closed. */
  'token-ended': { readonly token: string }
  /** A legacy connection was opened or closed. */
  'connections-changed': object
  'templates-changed': object
  'policy-saved': object
  'bindings-changed': { readonly session: string }
  'connector-removed': { readonly connector: string }
  /** The status of a connector's upstream has changed in a session. */
  'upstream-changed': { readonly session: string; readonly connector: string }
  /** An upstream of a connector has written something. */
  'upstream-output': { readonly connector: string }
  /** An upstream of a connector wants a person to log in, or the person has. */
  'login-changed': { readonly connector: string }
  /** A session was created with connectors. They start before its agent asks: some agents list their tools only once. */
  'mounts-wanted': { readonly session: string }
  /** The agent of a session has listed its tools. */
  'agent-connected': { readonly session: string }
  /** Calls of a session wait for a person, or no longer wait. */
  'approvals-pending': { readonly session: string; readonly pending: PendingApprovals }
  'session-activity-changed': { readonly session: string; readonly name: string; readonly activity: Activity }
  /** Terminal tools of a session were switched on or off. */
  'session-tools-changed': { readonly session: string }
  /** A turn in the thread of a session has ended, no matter who gave the prompt. */
  'session-turn-ended': { readonly session: string; readonly status: TurnStatus; readonly reason?: string | undefined }
  'session-ended': { readonly session: string }
  /** A side has posted to the chat of a session: the other side has something to read. */
  'chat-posted': { readonly session: string; readonly side: ChatSide }
  /** The bridge between the chat of a session and a room has come up, or fails. */
  'chat-bridge-changed': { readonly session: string }
}

export type SignalName = keyof HubSignals

export type Reactions = {
  readonly [Name in SignalName]?: (signal: HubSignals[Name]) => void | Promise<void>
}

/** For the features that only send. */
export interface SignalSender {
  /** Returns when every reaction has started. A failed reaction is logged, and affects neither the sender nor the others. */
  emit<Name extends SignalName>(name: Name, signal: HubSignals[Name]): void
}

export interface Signals extends SignalSender {
  connect(reactions: Reactions): void
}

export function createSignals(log: Pick<Log, 'error'>): Signals {
  const connected: Reactions[] = []

  async function react<Name extends SignalName>(reactions: Reactions, name: Name, signal: HubSignals[Name]) {
    try {
      await reactions[name]?.(signal)
    } catch (error) {
      log.error(
        { signal: name, ...('session' in signal && { session: signal.session }), error },
        'a reaction to a signal failed',
      )
    }
  }

  return {
    connect: (reactions) => void connected.push(reactions),
    emit(name, signal) {
      for (const reactions of connected) void react(reactions, name, signal)
    },
  }
}
