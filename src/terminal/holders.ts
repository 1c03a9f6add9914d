/** Starts holders, each with a folder of its own, and finds those that an earlier hub started. */
import { mkdirSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import type { Confinement, SandboxedProgram } from '../base/confinement.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import { makePrivateDirectory } from '../base/private-socket.ts'
import { forwardsFolder, holderSocket } from './socket-paths.ts'
import { readHolderInfo, readHolderInfoOrThrow } from './holder/holder-info.ts'
import type { HolderConnection } from './holder-connection.ts'
import { connectToHolder } from './holder-connection.ts'
import { connectWithRetry } from './connect-with-retry.ts'
import type { HolderTask } from './holder/task.ts'
import { journalFolder, listSegments } from './journal/journal-files.ts'
import type { JournalLimits } from './journal/journal-writer.ts'
import { startHolder } from './start-holder.ts'

export interface FoundHolder {
  /** The folder with its journal. */
  readonly directory: string
  readonly socket: string
  /** `undefined`: the holder is gone. */
  readonly connection: HolderConnection | undefined
}

export interface Holders {
  start(id: string, program: HolderTask['program'] & Sandboxed): Promise<FoundHolder>
  /** `undefined`: there never was a holder. Throws if it may be alive but cannot be reached. */
  find(id: string): Promise<(FoundHolder & { readonly isPiped: boolean }) | undefined>
}

/** `sandbox`: the program runs in it. */
export interface Sandboxed {
  readonly sandbox?: Confinement | undefined
}

export interface HoldersOptions {
  /** Contains one folder for each holder. */
  readonly directory: string
  /** Puts each holder into this folder inside its own, so that a session can have a second one. */
  readonly folder?: string
  /** The folder for sockets. Its path must be short, since socket paths are limited to 107 bytes. */
  readonly socketDirectory: string
  readonly version: string
  readonly journal: JournalLimits
}

/** A holder that has just reported ready is alive. This is how long an obstacle on the way to it may last. */
const connectWithinMs = 15_000

export function createHolders({ socketDirectory, version, journal, folder = '', ...options }: HoldersOptions): Holders {
  const directoryOf = (id: string) => join(options.directory, id, folder)
  const nameOf = (id: string) => (folder === '' ? id : `${id}.${folder}`)
  const socketOf = (id: string) => holderSocket(socketDirectory, nameOf(id))
  const cacheDirectory = compileCache() ?? join(options.directory, '.compiled')

  return {
    async start(id, { sandbox, ...program }) {
      const directory = directoryOf(id)
      const socket = socketOf(id)
      if (isThere(directory)) throw new HubError('conflict', `There is already a terminal ${id}. Choose another id.`)
      makeDirectories(directory, socketDirectory)
      const forwards = sandbox && { spec: sandbox.forwards, folder: forwardsFolder(socketDirectory, nameOf(id)) }
      const confined = sandbox && forwards ? { ...program, ...confine(program, sandbox, forwards.folder) } : program
      await startHolder({ version, socket, directory, journal, program: confined, forwards }, cacheDirectory)
      return { directory, socket, connection: await connectToStarted(socket) }
    },
    async find(id) {
      const directory = directoryOf(id)
      const info = readHolderInfo(directory)
      // A holder that was started on a full disk could leave only its socket.
      const socket = info?.socket ?? socketOf(id)
      const connection = await connectToHolder(socket)
      if (!connection && !isThere(directory)) return undefined
      const isPiped = connection ? connection.hello.input !== undefined : info?.stdio === 'pipes'
      return { directory, socket, connection, isPiped }
    },
  }
}

function confine(program: HolderTask['program'], sandbox: Confinement, folder: string): SandboxedProgram {
  if ('file' in program && !('tmux' in program)) return sandbox.wrap(program, folder)
  throw new HubError('invalid', 'A program in tmux cannot be confined. Use the backend "holder".')
}

function connectToStarted(socket: string): Promise<HolderConnection | undefined> {
  const until = performance.now() + connectWithinMs
  return connectWithRetry(socket, {
    isWanted: () => true,
    onFailure(error) {
      if (performance.now() > until) throw error
    },
  })
}

/** Throws if that cannot be checked, since its holder may be alive. */
function isThere(directory: string): boolean {
  return readHolderInfoOrThrow(directory) !== undefined || listSegments(join(directory, journalFolder)).length > 0
}

function makeDirectories(directory: string, socketDirectory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new HubError(
      'unavailable',
      `The terminal has no folder for its journal: ${String(error)}. Check the data directory.`,
      {
        cause: error,
      },
    )
  }
  try {
    makePrivateDirectory(socketDirectory)
  } catch (error) {
    const why = messageOf(error)
    throw new HubError(
      'unavailable',
      `The terminal has no safe place for its socket: ${why} Fix that, or set SIGNALBOX_HOME to a shorter path.`,
      { cause: error },
    )
  }
}

/** The hub's compile cache, if it has one: a holder that is killed early would never fill a cache of its own. */
function compileCache(): string | undefined {
  const directory = getCompileCacheDir()
  return directory === undefined ? undefined : dirname(directory)
}
