/** Which session's socket the relay talks to. Only who answers counts: a hub that was killed leaves its sockets behind. */
import { readdirSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { dial, socketFile, socketNameOf } from '../../base/socket-places.ts'
import type { SocketPlace } from '../../base/socket-places.ts'
import { CliError } from '../cli-error.ts'

/** Path before name; with neither, the newest there is. */
export interface WantedSocket {
  readonly path?: string | undefined
  readonly name?: string | undefined
}

export async function findSocket({ path, name }: WantedSocket, places: readonly SocketPlace[]): Promise<Socket> {
  if (path !== undefined) {
    return (await firstThatAnswers([path])) ?? fail(`Nothing answers at ${path}`)
  }
  if (name !== undefined) {
    const paths = places.map(({ directory }) => join(directory, socketFile(name)))
    return (await firstThatAnswers(paths)) ?? fail(`No session answers under the socket name "${name}"`)
  }
  const looked = places.map(({ directory }) => directory).join(', ')
  return (await firstThatAnswers(newestFirst(places))) ?? fail(`No session answers in ${looked}`)
}

async function firstThatAnswers(paths: readonly string[]): Promise<Socket | undefined> {
  for (const path of paths) {
    const socket = await dial(path).catch(() => undefined)
    if (socket) return socket
  }
  return undefined
}

function newestFirst(places: readonly SocketPlace[]): readonly string[] {
  return places
    .flatMap(({ directory }) => filesIn(directory).map((file) => join(directory, file)))
    .flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      // What somebody else has put into a place that all can write to is not for us.
      return found?.isSocket() && found.uid === process.getuid?.() ? [{ path, at: found.mtimeMs }] : []
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

function fail(what: string): never {
  throw new CliError(
    'unreachable',
    `${what}: none runs there, or its hub does not. "signalbox up" starts a hub, "signalbox new" a session.`,
  )
}
