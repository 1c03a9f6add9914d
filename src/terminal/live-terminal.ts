/** One terminal: what comes from its holder goes to its screen, and what people and programs type goes to the holder. */
import { HubError } from '../base/hub-error.ts'
import type { Exit } from './holder/frames.ts'
import type { HolderConnection } from './holder-connection.ts'
import type { Screen } from './screen.ts'
import { createSnapshots } from './snapshots.ts'
import type { Terminal, TerminalLife } from './terminal.ts'

export interface LiveTerminalOptions {
  readonly id: string
  readonly directory: string
  /** Drawn up to the end of the journal, as it was when the holder was asked. */
  readonly screen: Screen
  /** `undefined`: the holder is gone. */
  readonly connection: HolderConnection | undefined
  readonly exit: Exit | undefined
}

/** So much may wait for the screen before the holder is held back. */
const maxUndrawnBytes = 2 * 1024 * 1024

export function createLiveTerminal({ id, directory, screen, connection, exit }: LiveTerminalOptions): Terminal {
  const listeners = new Set<() => void>()
  const snapshots = createSnapshots(directory, screen)
  let life = lifeOf(connection, exit)
  let fault = connection?.tooOld
  let undrawn = 0
  let isHeldBack = false

  const tell = () => {
    for (const listener of listeners) listener()
  }

  function draw(offset: number, bytes: Buffer): void {
    screen.skipTo(offset)
    undrawn += bytes.length
    if (undrawn > maxUndrawnBytes && !isHeldBack) {
      isHeldBack = true
      connection?.pause()
    }
    void screen.feed(bytes).then(() => {
      undrawn -= bytes.length
      if (isHeldBack && undrawn < maxUndrawnBytes / 2) {
        isHeldBack = false
        connection?.resume()
      }
      snapshots.note()
      tell()
    })
  }

  connection?.attach(screen.offset, {
    onOutput: draw,
    onResize(size) {
      void screen.settled().then(() => {
        screen.resize(size)
        tell()
      })
    },
    onExit(ended) {
      life = { is: 'exited', ...ended }
      void screen.settled().then(tell)
    },
    onFault(message) {
      fault = message
      tell()
    },
    onClose() {
      if (life.is === 'running') life = { is: 'lost' }
      void screen.settled().then(() => {
        snapshots.write()
        tell()
      })
    },
  })

  function alive(): HolderConnection {
    if (life.is === 'running' && connection && !connection.tooOld) return connection
    throw new HubError('unavailable', whyNot(life, connection))
  }

  return {
    id,
    directory,
    screen,
    get size() {
      return screen.size
    },
    get life() {
      return life
    },
    get offset() {
      return screen.offset
    },
    get fault() {
      return fault
    },
    write: (bytes) => alive().write(bytes),
    resize: (size) => alive().resize(size),
    signal: (name) => alive().signal(name),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    release() {
      listeners.clear()
      snapshots.write()
      connection?.close()
      screen[Symbol.dispose]()
    },
  }
}

function lifeOf(connection: HolderConnection | undefined, exit: Exit | undefined): TerminalLife {
  if (connection) {
    const { childPid, pid } = connection.hello
    return { is: 'running', pid: childPid, holderPid: pid, tooOld: connection.tooOld }
  }
  return exit ? { is: 'exited', ...exit } : { is: 'lost' }
}

function whyNot(life: TerminalLife, connection: HolderConnection | undefined): string {
  switch (life.is) {
    case 'running':
      return connection?.tooOld ?? 'Nobody is there to take it.'
    case 'exited':
      return 'The program has ended. Its screen and its output can still be read.'
    case 'lost':
      return 'The process that held this terminal is gone. Its last screen and its output can still be read.'
  }
}
