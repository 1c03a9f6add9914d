/**
 * Terminals as the hub has them: the screen of a program that runs in a holder, and the way to the program.
 *
 *   program → PTY → holder (journal) → socket → screen → readers, each from its own offset
 */
import { mkdirSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import { createSerial } from '../base/serial.ts'
import type { Companions } from './companions.ts'
import { heldIn, holderSocket } from './held.ts'
import type { History } from './history/history.ts'
import type { Exit, Size } from './holder/frames.ts'
import { journalFolder, listSegments } from './holder/journal-files.ts'
import type { JournalLimits } from './holder/journal-writer.ts'
import { readNotice } from './holder/notice.ts'
import type { ProgramSpec } from './holder/task.ts'
import type { HolderConnection } from './holder-connection.ts'
import { connectToHolder } from './holder-connection.ts'
import { createLiveTerminal } from './live-terminal.ts'
import type { ProcessDescription } from './process-table.ts'
import type { Output } from './read-output.ts'
import type { Recording } from './recording.ts'
import type { Screen } from './screen.ts'
import { reachHolder } from './reach-holder.ts'
import { startHolder } from './start-holder.ts'

export type { Companions } from './companions.ts'
export { heldIn, holderSocket } from './held.ts'
export type { History } from './history/history.ts'
export type { Exit, Size } from './holder/frames.ts'
export type { JournalLimits } from './holder/journal-writer.ts'
export { journalLimits } from './holder/journal-writer.ts'
export type { ProgramSpec } from './holder/task.ts'
export { encodeKeys } from './keys.ts'
export { encodePaste } from './paste.ts'
export type { Pattern } from './patterns.ts'
export { compilePattern } from './patterns.ts'
export type { ProcessDescription } from './process-table.ts'
export type { Output } from './read-output.ts'
export type { Recording } from './recording.ts'
export type { Look, Run, Screen } from './screen.ts'
export { createScreen } from './screen.ts'
export { drawScreen, pictureSize } from './screenshot/screenshot.ts'
export type { TmuxAccess } from './tmux/access.ts'
export type { Pane as TmuxPane } from './tmux/pane.ts'
export { findTarget as findTmuxTarget } from './tmux/pane-target.ts'
export { findUrls } from './urls.ts'

export interface Terminal {
  readonly id: string
  /** Where its journal is kept. */
  readonly directory: string
  readonly size: Size
  /** Drawn at once, if it was not yet; what comes later is drawn as it comes. */
  readonly screen: Screen
  /** Whoever can wait for the screen looks here first: `onChange` tells when it is drawn. */
  readonly isDrawn: boolean
  readonly life: TerminalLife
  /** Where the next byte of output will stand. */
  readonly offset: number
  /** Where the oldest byte stands that is still kept. */
  readonly firstOffset: number
  /** What a person should know, such as a full disk. */
  readonly fault: string | undefined
  /** Output from an offset on; cheap for whoever keeps up. */
  readOutput(since: number, maxBytes: number): Output
  /** The lines that have scrolled off the screen, as far as the journal goes back. */
  history(): Promise<History>
  /**
   * Throws where nobody is there to take it, and when the program leaves too much unread. A terminal in its usual
   * (cooked) mode takes lines of 4,095 bytes and drops the rest of longer ones; that is the system's doing.
   */
  write(bytes: Buffer): void
  resize(size: Size): void
  /** To the whole process group of the program. */
  signal(name: NodeJS.Signals): void
  /** What else runs in it. Throws where the program cannot be reached. */
  companions(): Promise<Companions>
  /** The process that has the foreground: the program itself, or what it runs. `undefined` once it has ended. */
  foreground(): Promise<ProcessDescription | undefined>
  /** Where the shell says it is, else where the foreground process is. */
  workingDirectory(): Promise<string | undefined>
  /** At its prompt, as the shell tells; else, nothing it runs has the foreground. */
  isIdle(): Promise<boolean>
  /** Called when the screen has taken new bytes, or the life, the size or the fault has changed. Returns the way to stop. */
  onChange(listener: () => void): () => void
  /** Writes what was printed as asciicast v3. */
  exportRecording(path: string): Promise<Recording>
  /** Lets go of it. Its holder lives on. */
  release(): void
}

export type TerminalLife =
  | { readonly is: 'running'; readonly pid: number; readonly holderPid: number; readonly tooOld: string | undefined }
  | ({ readonly is: 'exited' } & Exit)
  /** The holder died, and how the program ended is not known. */
  | { readonly is: 'lost' }

export interface Terminals {
  start(id: string, program: ProgramSpec): Promise<Terminal>
  /**
   * What an earlier hub started: alive in its holder, or its last screen. `undefined`: there is no such terminal. Quick:
   * the screens of those that live are drawn one after another in the time that follows, or when they are asked for.
   * Throws where its holder may live and cannot be reached.
   */
  adopt(id: string): Promise<Terminal | undefined>
  /** The ids of those that have a socket here. Whether somebody is behind it shows when it is adopted. */
  held(): readonly string[]
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

/** A holder that has just said it is ready lives: what keeps us from it has so long to pass. */
const reachWithinMs = 15_000
/** A hub that comes up has better things to do first. */
const drawAfterMs = 200

export function createTerminals({
  socketDirectory,
  version,
  journal,
  scrollbackLines,
  ...options
}: TerminalsOptions): Terminals {
  const directoryOf = (id: string) => join(options.directory, id)
  const cacheDirectory = compileCache() ?? join(options.directory, '.compiled')
  const oneByOne = createSerial()

  return {
    async start(id, program) {
      const directory = directoryOf(id)
      const socket = holderSocket(socketDirectory, id)
      if (isThere(directory)) throw new HubError('conflict', `There is a terminal ${id} already. Choose another id.`)
      makeDirectories([directory, socketDirectory])
      await startHolder({ version, socket, directory, journal, program }, cacheDirectory)
      const terminal = createLiveTerminal({
        id,
        directory,
        socket,
        scrollbackLines,
        connection: await reachStarted(socket),
      })
      await terminal.draw()
      return terminal
    },
    async adopt(id) {
      const directory = directoryOf(id)
      // One that was started on a full disk could leave nothing but its socket.
      const socket = readNotice(directory)?.socket ?? holderSocket(socketDirectory, id)
      const connection = await connectToHolder(socket)
      if (!connection && !isThere(directory)) return undefined
      const terminal = createLiveTerminal({ id, directory, socket, scrollbackLines, connection })
      const later = setTimeout(drawAfterMs)
      if (connection) void oneByOne(() => later.then(() => terminal.draw()))
      return terminal
    },
    held: () => heldIn(options.directory, socketDirectory),
  }
}

function reachStarted(socket: string): Promise<HolderConnection | undefined> {
  const until = performance.now() + reachWithinMs
  return reachHolder(socket, {
    isWanted: () => true,
    onFailure(error) {
      if (performance.now() > until) throw error
    },
  })
}

function isThere(directory: string): boolean {
  return readNotice(directory) !== undefined || listSegments(join(directory, journalFolder)).length > 0
}

function makeDirectories(paths: readonly string[]): void {
  try {
    for (const path of paths) mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new HubError('unavailable', `The terminal has no place to keep its journal: ${String(error)}.`, {
      cause: error,
    })
  }
}

/** The hub's own, where it has one: a holder that is killed early never fills one that is new. */
function compileCache(): string | undefined {
  const directory = getCompileCacheDir()
  return directory === undefined ? undefined : dirname(directory)
}
