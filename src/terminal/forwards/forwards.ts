/**
 * The forwards between a sandbox and the machine, on the side of the machine. The forwards of a session run in its
 * holder, so they outlive the hub. They reach the next hub at the same socket path.
 */
import { constants, chmodSync, closeSync, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { ForwardsSpec, OutwardForward } from '../../base/confinement.ts'
import { inwardFolder, inwardSocket } from '../../base/confinement.ts'
import { join as joinStreams } from './join-streams.ts'
import type { Judge } from './judge.ts'
import { createJudge } from './judge.ts'
import { createProxy } from './proxy.ts'

/** Rejects if one of the forwards cannot be opened. `own` replaces the judge of the spec. */
export async function openForwards(spec: ForwardsSpec, folder: string, own?: Judge): Promise<Disposable> {
  const { outward, inwardPort, judge } = spec
  mkdirSync(join(folder, inwardFolder), { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const decide: Judge = own ?? (judge ? createJudge(judge) : async () => ({ isAllowed: false }))
  const servers: Server[] = []
  const opened = {
    [Symbol.dispose]() {
      for (const server of servers) server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    for (const forward of outward) {
      const server = forward.to === 'proxy' ? createProxy(decide) : relay(() => leadOut(forward, decide))
      servers.push(server)
      await listen(server, { path: join(folder, forward.name) })
    }
    if (inwardPort !== undefined) {
      const server = relay(async () => leadIn(join(folder, inwardFolder, inwardSocket)))
      servers.push(server)
      await listen(server, { host: '127.0.0.1', port: inwardPort })
    }
    return opened
  } catch (error) {
    opened[Symbol.dispose]()
    throw error
  }
}

function relay(lead: () => Promise<Socket>): Server {
  const server = createServer({ pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy())
    lead().then(
      (target) => joinStreams(client, target),
      () => client.destroy(),
    )
  })
  return server
}

async function leadOut(forward: Exclude<OutwardForward, { to: 'proxy' }>, judge: Judge): Promise<Socket> {
  if (forward.to === 'socket') return connect({ path: forward.path })
  const { port, isJudged } = forward
  if (isJudged && !(await judge('127.0.0.1', port)).isAllowed) throw new Error('This port is not allowed.')
  return connect({ host: '127.0.0.1', port })
}

/** O_PATH, for which Node has no constant: the descriptor only identifies the file. */
const openPath = 0o10000000

/**
 * Programs of the sandbox can put anything at this path. So the path is opened first, without following a link, and the
 * connection goes to the opened file.
 */
function leadIn(path: string): Socket {
  const descriptor = openSync(path, openPath | constants.O_NOFOLLOW)
  try {
    if (!fstatSync(descriptor).isSocket()) throw new Error('It is not a socket.')
    return connect({ path: `/proc/self/fd/${descriptor}` }).once('close', () => closeSync(descriptor))
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

async function listen(
  server: Server,
  place: { readonly path: string } | { readonly host: string; readonly port: number },
) {
  if ('path' in place) rmSync(place.path, { force: true })
  const before = process.umask(0o177)
  server.listen(place)
  process.umask(before)
  await once(server, 'listening')
}
