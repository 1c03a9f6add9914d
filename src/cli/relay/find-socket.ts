/** Finds the session's socket for the relay. Skips sockets that do not answer, because a killed hub leaves its own behind. */
import { readdirSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { assertPrivateSocket } from '../../base/private-socket.ts'
import { dial, socketFile, socketNameOf } from '../../base/socket-places.ts'
import type { SocketPlace } from '../../base/socket-places.ts'
import { CliError } from '../command/cli-error.ts'

/** The path wins over the name. Without both, the newest socket is used. */
export interface WantedSocket {
  readonly path?: string | undefined
  readonly name?: string | undefined
}

export async function findSocket({ path, name }: WantedSocket, places: readonly SocketPlace[]): Promise<Socket> {
  if (path !== undefined) {
    return (await dialOr(path)) ?? fail(`No session answers at ${path}`)
  }
  if (name !== undefined) {
    const paths = places.map(({ directory }) => join(directory, socketFile(name)))
    return (await firstThatAnswers(paths)) ?? fail(`No session answers under the socket name "${name}"`)
  }
  const searched = places.map(({ directory }) => directory).join(', ')
  return (await firstThatAnswers(newestFirst(places))) ?? fail(`No session answers in ${searched}`)
}

async function firstThatAnswers(paths: readonly string[]): Promise<Socket | undefined> {
  for (const path of paths.filter(isOurs)) {
    const socket = await dialOr(path)
    if (socket) return socket
  }
  return undefined
}

function dialOr(path: string): Promise<Socket | undefined> {
  return dial(path).catch(() => undefined)
}

/** Another user may have put a socket into a directory that everyone can write to. */
function isOurs(path: string): boolean {
  try {
    assertPrivateSocket(path)
    return true
  } catch {
    return false
  }
}

function newestFirst(places: readonly SocketPlace[]): readonly string[] {
  return places
    .flatMap(({ directory }) => filesIn(directory).map((file) => join(directory, file)))
    .flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      return found ? [{ path, at: found.mtimeMs }] : []
    })
    .toSorted((a, b) => b.at - a.at)
    .map(({ path }) => path)
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((file) => socketNameOf(file) !== undefined)
  } catch {
    return []
  }
}

function fail(problem: string): never {
  throw new CliError('unreachable', `${problem}. Start a hub with "signalbox up", and a session with "signalbox new".`)
}
