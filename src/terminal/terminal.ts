/**
 * Terminals as the hub has them: the screen of a program that runs in a holder, and the way to the program.
 *
 *   program → PTY → holder (journal) → socket → screen → readers, each from its own offset
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HolderNotice } from './holder/task.ts'
import { holderNoticeFile } from './holder/task.ts'
import type { Exit, Size } from './holder/frames.ts'
import type { JournalLimits } from './holder/journal-writer.ts'
import type { PtySpec } from './holder/pty.ts'
import { connectToHolder } from './holder-connection.ts'
import { createLiveTerminal } from './live-terminal.ts'
import { readPast, replay } from './restore.ts'
import type { Screen } from './screen.ts'
import { createScreen } from './screen.ts'
import { readSnapshot } from './snapshots.ts'
import { startHolder } from './start-holder.ts'

export type { Exit, Size }
export type { PtySpec as ProgramSpec } from './holder/pty.ts'

export interface Terminal {
  readonly id: string
  /** Where its journal is kept. */
  readonly directory: string
  readonly size: Size
  readonly screen: Screen
  readonly life: TerminalLife
  /** Where the next byte of output will stand. */
  readonly offset: number
  /** What a person should know, such as a full disk. */
  readonly fault: string | undefined
  /** Throws where nobody is there to take it. */
  write(bytes: Buffer): void
  resize(size: Size): void
  signal(name: NodeJS.Signals): void
  /** Called when the screen has taken new bytes, or the life or the size has changed. Returns the way to stop. */
  onChange(listener: () => void): () => void
  /** Lets go of it. Its holder lives on. */
  release(): void
}

export type TerminalLife =
  | { readonly is: 'running'; readonly pid: number; readonly holderPid: number; readonly tooOld: string | undefined }
  | ({ readonly is: 'exited' } & Exit)
  /** The holder died, and how the program ended is not known. */
  | { readonly is: 'lost' }

export interface Terminals {
  start(id: string, program: PtySpec): Promise<Terminal>
  /** What an earlier hub started: alive in its holder, or its last screen. `undefined`: there is no such terminal. */
  adopt(id: string): Promise<Terminal | undefined>
}

export interface TerminalsOptions {
  /** One folder for each terminal is made in here. */
  readonly directory: string
  /** Sockets; short, since their paths may not be longer than 107 bytes. */
  readonly socketDirectory: string
  readonly version: string
  readonly journal: JournalLimits
  readonly scrollbackLines: number
}

const defaultSize: Size = { cols: 80, rows: 24 }

export function createTerminals(options: TerminalsOptions): Terminals {
  const { socketDirectory, version, journal, scrollbackLines } = options
  const directoryOf = (id: string) => join(options.directory, id)

  async function wake(id: string, socket: string): Promise<Terminal> {
    const directory = directoryOf(id)
    const { sizes, exit } = readPast(directory)
    const snapshot = readSnapshot(directory)
    const connection = await connectToHolder(socket)
    const size = connection?.hello.size ?? sizes.at(-1) ?? defaultSize
    // Questions of the program that were answered long ago must not be answered again.
    let isLive = false
    const screen = createScreen({
      size: snapshot?.size ?? sizes[0] ?? size,
      scrollbackLines,
      onAnswer: (bytes) => {
        if (isLive) connection?.write(bytes)
      },
      ...(snapshot && { from: snapshot }),
    })
    await replay(directory, screen, sizes)
    isLive = true
    return createLiveTerminal({ id, directory, screen, connection, exit })
  }

  return {
    async start(id, program) {
      const directory = directoryOf(id)
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      mkdirSync(socketDirectory, { recursive: true, mode: 0o700 })
      const socket = join(socketDirectory, `${id}.sock`)
      await startHolder({ version, socket, directory, journal, program })
      return wake(id, socket)
    },
    async adopt(id) {
      const notice = readNotice(directoryOf(id))
      return notice && wake(id, notice.socket)
    },
  }
}

function readNotice(directory: string): HolderNotice | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, holderNoticeFile), 'utf8')) as HolderNotice
  } catch {
    return undefined
  }
}
