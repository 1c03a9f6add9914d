/** Follows a holder as long as it lives: attaches, reconnects when the connection breaks, and reports the end. */
import { HubError, messageOf } from '../base/hub-error.ts'
import { readHolderInfo } from './holder/holder-info.ts'
import type { HolderConnection } from './holder-connection.ts'
import type { InputState, RefusedInput } from './holder/frames.ts'
import type { Exit } from './journal/journal-files.ts'
import type { Size } from './pty/size.ts'
import { connectWithRetry } from './connect-with-retry.ts'

export type TerminalStatus =
  | { readonly is: 'running'; readonly pid: number; readonly holderPid: number; readonly tooOld: string | undefined }
  | ({ readonly is: 'exited' } & Exit)
  /** The holder died, and it is not known how the program ended. */
  | { readonly is: 'lost' }

export interface HolderFollower {
  readonly status: TerminalStatus
  /** The current connection; `undefined` while there is none. */
  readonly connection: HolderConnection | undefined
  /** The connection to the program. Throws with the reason if there is none. */
  requireConnection(): HolderConnection
  /** Requests the output from `listeners.offset()`. */
  attach(): void
  /** For a connection that is not being read now: notices the end of the program all the same. */
  lookForEnd(): void
  close(): void
}

export interface FollowListeners {
  /** The offset of the next output that has not been received. */
  offset(): number
  onOutput(offset: number, bytes: Buffer): void
  onResize(size: Size): void
  onInputState?(state: InputState): void
  onInputRefused?(refused: RefusedInput): void
  /** A new connection replaced a broken one. */
  onReconnected?(): void
  /** `undefined`: the last fault is over. */
  onFault(message: string | undefined): void
  /** The program has ended, or is lost. Nothing follows. */
  onEnd(): void
}

export interface FollowOptions {
  readonly directory: string
  readonly socket: string
  /** `undefined`: there is no holder. */
  readonly connection: HolderConnection | undefined
  readonly listeners: FollowListeners
}

/** A holder whose connection keeps breaking is given up, and left alone. */
const maxBreaks = 5

export function followHolder({ directory, socket, listeners, ...options }: FollowOptions): HolderFollower {
  let { connection } = options
  let status = statusOf(connection, directory)
  let isAttached = false
  let isClosed = false
  let breaks = 0

  function listen(): void {
    connection?.listen({ ...listeners, onExit: end, onClose: () => void reconnect() })
  }

  function end(exit: Exit | undefined): void {
    if (status.is !== 'running') return
    status = exit ? { is: 'exited', ...exit } : { is: 'lost' }
    listeners.onEnd()
  }

  /** Either the program and its holder have ended, or only the connection is broken. */
  async function reconnect(): Promise<void> {
    if (isClosed || status.is !== 'running') return
    connection = undefined
    connection = breaks++ < maxBreaks ? await connectAgain() : undefined
    if (isClosed) return connection?.close()
    if (!connection) return end(readHolderInfo(directory)?.exit)
    listen()
    if (!isAttached) return
    listeners.onResize(connection.hello.size)
    connection.attach(listeners.offset())
    listeners.onReconnected?.()
  }

  /** `undefined`: the holder is gone. */
  async function connectAgain(): Promise<HolderConnection | undefined> {
    let isFaultReported = false
    const reached = await connectWithRetry(socket, {
      isWanted: () => !isClosed && !readHolderInfo(directory)?.exit,
      onFailure(error) {
        isFaultReported = true
        listeners.onFault(messageOf(error))
      },
    })
    if (reached && isFaultReported) listeners.onFault(reached.tooOld ?? reached.hello.fault)
    return reached
  }

  listen()
  return {
    get status() {
      return status
    },
    get connection() {
      return connection
    },
    requireConnection() {
      if (status.is === 'running' && connection && connection.tooOld === undefined) return connection
      throw new HubError('unavailable', whyNot(status))
    },
    attach() {
      isAttached = true
      connection?.attach(listeners.offset())
    },
    lookForEnd() {
      const exit = readHolderInfo(directory)?.exit
      if (!exit || status.is !== 'running') return
      end(exit)
      connection?.close()
    },
    close() {
      isClosed = true
      connection?.close()
    },
  }
}

function statusOf(connection: HolderConnection | undefined, directory: string): TerminalStatus {
  if (connection) {
    const { childPid, pid } = connection.hello
    return { is: 'running', pid: childPid, holderPid: pid, tooOld: connection.tooOld }
  }
  const exit = readHolderInfo(directory)?.exit
  return exit ? { is: 'exited', ...exit } : { is: 'lost' }
}

function whyNot(status: TerminalStatus): string {
  switch (status.is) {
    case 'running':
      return status.tooOld ?? 'The connection to its holder is being restored. Try again in a moment.'
    case 'exited':
      return 'The program has ended. Its screen and its output can still be read.'
    case 'lost':
      return 'The process that held this terminal is gone. Its last screen and its output can still be read.'
  }
}
