/**
 * Sockets that have shown a valid token and wait for their next request. They may wait for long, so their number is
 * limited per token, and for all tokens together by the file descriptors that the hub can spare. At a limit the oldest
 * socket is closed: its client connects again when it needs to. A socket with a running request or an open stream does
 * not count.
 */
import type { Socket } from 'node:net'

export interface IdleSockets {
  /** A request arrived on the socket. */
  begin(socket: Socket): void
  /** The request showed a valid token. */
  prove(socket: Socket, tokenId: string): void
  /** The request was answered or aborted. */
  end(socket: Socket): void
  closeOldest(): void
}

export interface IdleLimits {
  readonly perToken: number
  readonly inAll: number
}

export function limitIdleSockets({ perToken, inAll }: IdleLimits): IdleSockets {
  const uses = new WeakMap<Socket, { running: number; tokenId: string | undefined }>()
  /** The token of each idle socket. The longest idle comes first. */
  const idle = new Map<Socket, string>()
  /** How many each token has. */
  const counts = new Map<string, number>()

  function close(socket: Socket | undefined): void {
    if (!socket) return
    leave(socket)
    socket.destroy()
  }

  function join(socket: Socket, tokenId: string): number {
    const count = (counts.get(tokenId) ?? 0) + 1
    idle.set(socket, tokenId)
    counts.set(tokenId, count)
    return count
  }

  function leave(socket: Socket): void {
    const tokenId = idle.get(socket)
    if (tokenId === undefined) return
    idle.delete(socket)
    const count = (counts.get(tokenId) ?? 0) - 1
    if (count > 0) counts.set(tokenId, count)
    else counts.delete(tokenId)
  }

  function oldestOf(tokenId: string): Socket | undefined {
    for (const [socket, owner] of idle) if (owner === tokenId) return socket
    return undefined
  }

  function useOf(socket: Socket) {
    const known = uses.get(socket)
    if (known) return known
    const use = { running: 0, tokenId: undefined }
    uses.set(socket, use)
    socket.once('close', () => leave(socket))
    return use
  }

  return {
    begin(socket) {
      useOf(socket).running++
      leave(socket)
    },
    prove(socket, tokenId) {
      useOf(socket).tokenId = tokenId
    },
    end(socket) {
      const use = useOf(socket)
      // A client may send several requests on one socket at once.
      if (--use.running > 0 || use.tokenId === undefined || socket.destroyed) return
      if (join(socket, use.tokenId) > perToken) close(oldestOf(use.tokenId))
      if (idle.size > inAll) close(idle.keys().next().value)
    },
    closeOldest: () => close(idle.keys().next().value),
  }
}
