/**
 * A TCP proxy that can fail as networks do. Clients keep one address while hubs behind it start and stop on other ports.
 * `cut` resets every socket. `hold` silently drops what the hub sends.
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface CuttingProxy extends AsyncDisposable {
  /** The MCP endpoint as clients see it. */
  readonly url: string
  /** Sets the port for new sockets. */
  aimAt(port: number): void
  cut(): void
  /** Cuts, and refuses clients until the next `aimAt`. */
  refuse(): void
  /** Until `cut`, nothing reaches a client. Messages of clients still reach the hub. */
  hold(): void
}

interface Link {
  readonly client: Socket
  readonly hub: Socket
}

export async function startCuttingProxy(): Promise<CuttingProxy> {
  const links = new Set<Link>()
  let port: number | undefined

  const server = createServer((client) => {
    if (port === undefined) {
      client.resetAndDestroy()
      return
    }
    const link = { client, hub: connect(port, '127.0.0.1') }
    links.add(link)
    const end = () => {
      links.delete(link)
      link.client.destroy()
      link.hub.destroy()
    }
    for (const socket of [link.client, link.hub]) socket.setNoDelay(true).on('error', end).on('close', end)
    link.client.pipe(link.hub)
    link.hub.pipe(link.client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function cut(): void {
    for (const { client, hub } of links) {
      client.resetAndDestroy()
      hub.resetAndDestroy()
    }
    links.clear()
  }

  return {
    url: `http://127.0.0.1:${portOf(server)}/mcp`,
    aimAt: (next) => (port = next),
    cut,
    refuse() {
      port = undefined
      cut()
    },
    hold() {
      for (const { client, hub } of links) {
        hub.unpipe(client)
        hub.resume()
      }
    },
    async [Symbol.asyncDispose]() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy does not listen on a port.')
  return address.port
}
