/**
 * Follows a holder for as long as it lives: attaches, does so again where the connection breaks, and tells how it ended.
 */
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Exit, Size } from './holder/frames.ts'
import { readNotice } from './holder/notice.ts'
import type { HolderConnection } from './holder-connection.ts'
import { reachHolder } from './reach-holder.ts'
import type { TerminalLife } from './terminal.ts'

export interface HolderFollower {
  readonly life: TerminalLife
  /** What the holder said when it was met last. */
  readonly connection: HolderConnection | undefined
  /** The way to the program. Throws, and says why, where there is none. */
  reach(): HolderConnection
  /** Asks for output from `listeners.offset()` on. */
  attach(): void
  close(): void
}

export interface FollowListeners {
  /** Where the output goes on that has not been heard. */
  offset(): number
  onOutput(offset: number, bytes: Buffer): void
  onResize(size: Size): void
  /** `undefined`: what was told before is over. */
  onFault(message: string | undefined): void
  /** It has ended, or is lost. Nothing follows. */
  onEnd(): void
}

export interface FollowOptions {
  readonly directory: string
  readonly socket: string
  /** `undefined`: nobody is there. */
  readonly connection: HolderConnection | undefined
  readonly listeners: FollowListeners
}

/** A holder that is there and yet breaks off again and again is given up, and left alone. */
const maxBreaks = 5

export function followHolder({ directory, socket, listeners, ...options }: FollowOptions): HolderFollower {
  let { connection } = options
  let life = lifeOf(connection, directory)
  let isAttached = false
  let isClosed = false
  let breaks = 0

  function listen(): void {
    connection?.listen({ ...listeners, onExit: end, onClose: () => void meetAgain() })
  }

  function end(exit: Exit | undefined): void {
    if (life.is !== 'running') return
    life = exit ? { is: 'exited', ...exit } : { is: 'lost' }
    listeners.onEnd()
  }

  /** The program has ended and the holder with it, or only the connection has. */
  async function meetAgain(): Promise<void> {
    if (isClosed || life.is !== 'running') return
    connection = undefined
    connection = breaks++ < maxBreaks ? await reachAgain() : undefined
    if (isClosed) return connection?.close()
    if (!connection) return end(readNotice(directory)?.exit)
    listen()
    if (!isAttached) return
    listeners.onResize(connection.hello.size)
    connection.attach(listeners.offset())
  }

  /** `undefined`: it is gone. */
  async function reachAgain(): Promise<HolderConnection | undefined> {
    let isTold = false
    const met = await reachHolder(socket, {
      isWanted: () => !isClosed && !readNotice(directory)?.exit,
      onFailure(error) {
        isTold = true
        listeners.onFault(messageOf(error))
      },
    })
    if (met && isTold) listeners.onFault(met.tooOld ?? met.hello.fault)
    return met
  }

  listen()
  return {
    get life() {
      return life
    },
    get connection() {
      return connection
    },
    reach() {
      if (life.is === 'running' && connection && connection.tooOld === undefined) return connection
      throw new HubError('unavailable', whyNot(life))
    },
    attach() {
      isAttached = true
      connection?.attach(listeners.offset())
    },
    close() {
      isClosed = true
      connection?.close()
    },
  }
}

function lifeOf(connection: HolderConnection | undefined, directory: string): TerminalLife {
  if (connection) {
    const { childPid, pid } = connection.hello
    return { is: 'running', pid: childPid, holderPid: pid, tooOld: connection.tooOld }
  }
  const exit = readNotice(directory)?.exit
  return exit ? { is: 'exited', ...exit } : { is: 'lost' }
}

function whyNot(life: TerminalLife): string {
  switch (life.is) {
    case 'running':
      return life.tooOld ?? 'The connection to its holder is being made anew. Try again in a moment.'
    case 'exited':
      return 'The program has ended. Its screen and its output can still be read.'
    case 'lost':
      return 'The process that held this terminal is gone. Its last screen and its output can still be read.'
  }
}
