/**
 * TLS on the port of an HTTP server. The first byte of a connection tells TLS from plain HTTP. Programs on this machine may
 * use either: what they send crosses no network, and an agent has no way to trust a certificate of your own. Plain HTTP from
 * other machines is refused.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { isLoopback } from '../base/loopback.ts'
import type { Certificate } from './certificate.ts'

export interface TlsPort {
  /** Reads the files of the certificate again. New connections get the new one. */
  refresh(): Promise<void>
  /** Closes the connections that have sent nothing or are in their handshake. */
  closeUnfinished(): void
}

export interface TlsPortOptions {
  readonly server: Server
  readonly certificate: Certificate
  /** After the handshake, `secure` takes the place of `raw`. */
  onSecure(raw: Socket, secure: TLSSocket): void
}

/** Call it before other listeners look at the connections of the server. */
export function secureTlsPort({ server, certificate, onSecure }: TlsPortOptions): TlsPort {
  // Node's own listener reads HTTP from each connection. From here on it gets the connections that we hand to it.
  const [readHttp] = server.listeners('connection')
  if (!readHttp) throw new Error('The HTTP server does not listen for connections.')
  server.removeAllListeners('connection')
  const serve = (socket: Socket) => void Reflect.apply(readHttp, server, [socket])

  /** Connections that the HTTP server does not know yet. */
  const unfinished = new Set<Socket>()
  const tls = createTlsServer({ ...certificate.pair, ALPNProtocols: ['http/1.1'], handshakeTimeout: 10_000 })
  tls.on('secureConnection', (secure) => {
    // Node does not say which socket a TLS socket belongs to, but no two have the same client address and port.
    const raw = unfinished.values().find((each) => peerOf(each) === peerOf(secure))
    if (!raw) return void secure.destroy()
    unfinished.delete(raw)
    onSecure(raw, secure)
    serve(secure)
  })
  tls.on('tlsClientError', (_, socket) => void socket.destroy())

  server.on('connection', (socket: Socket) => {
    const ignore = () => {}
    unfinished.add(socket)
    socket.on('error', ignore)
    socket.once('close', () => unfinished.delete(socket))
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null
      if (first === null) return void socket.destroy()
      socket.unshift(first)
      const isUnixSocket = socket.remotePort === undefined
      if (first[0] === handshakeRecord && !isUnixSocket) return void tls.emit('connection', socket)
      if (!isFromThisMachine(socket)) return refusePlain(socket)
      unfinished.delete(socket)
      socket.off('error', ignore)
      serve(socket)
    })
  })

  return {
    async refresh() {
      if (await certificate.refresh()) tls.setSecureContext(certificate.pair)
    },
    closeUnfinished() {
      for (const socket of unfinished) socket.destroy()
    },
  }
}

/** The first byte of every TLS connection (RFC 8446, section 5.1). No HTTP request begins with it. */
const handshakeRecord = 0x16

/** A connection of a machine with itself has the same address at both ends, or a loopback address. */
export function isFromThisMachine({
  remoteAddress,
  localAddress,
}: {
  readonly remoteAddress?: string | undefined
  readonly localAddress?: string | undefined
}): boolean {
  return remoteAddress === localAddress || (remoteAddress !== undefined && isLoopback(remoteAddress))
}

function refusePlain(socket: Socket): void {
  const words = 'This port speaks TLS. Use https://\n'
  const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: ${words.length}\r\nConnection: close`
  socket.resume().end(`${head}\r\n\r\n${words}`)
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
