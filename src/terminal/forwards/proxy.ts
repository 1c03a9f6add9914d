/**
 * The HTTP proxy of a sandbox. It takes CONNECT by host name, and plain HTTP. It is the only way out, so it decides about
 * each connection by the name that the program asks for, and resolves that name itself.
 */
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request as sendRequest } from 'node:http'
import type { Server, Socket } from 'node:net'
import { connect, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import { zoneOf } from '../../base/address-zone.ts'
import { bare } from './allow-list.ts'
import { join as joinStreams } from './join-streams.ts'
import type { Judge } from './judge.ts'

const connectWithinMs = 30_000

/** Headers for the connection to the proxy. They are not passed on. */
const hopHeaders = ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade']

export function createProxy(judge: Judge): Server {
  const server = createServer((request, response) => void forward(request, response))
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(request, client, head))
  server.on('clientError', (_error, socket) => socket.destroy())
  // A person may have to answer first.
  server.requestTimeout = 0
  server.headersTimeout = 0
  return server

  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy())
    try {
      const target = targetOf(`http://${request.url ?? ''}`, 443)
      if (!target || request.url?.includes('/')) return refuse(client, 400, 'Write CONNECT host:port.')
      const upstream = await reach(target)
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      joinStreams(client, upstream)
    } catch (error) {
      refuse(client, statusOf(error), reasonOf(error))
    }
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = request.url ?? ''
      const target = /^http:\/\//i.test(url) ? targetOf(url, 80) : undefined
      if (!target) throw new Refused(400, 'This is the proxy of a sandbox. Use it for http:// URLs or with CONNECT.')
      const connection = await reach(target)
      const { pathname, search, host } = new URL(url)
      const dropped = new Set([...hopHeaders, ...listOf(request.headers.connection)])
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.has(name)))
      const sent = sendRequest({
        createConnection: () => connection,
        method: request.method,
        path: `${pathname}${search}`,
        headers: { ...headers, host, connection: 'close' },
      })
      sent.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      })
      sent.on('error', (error) => answerWith(response, 502, error.message))
      response.on('close', () => connection.destroy())
      request.pipe(sent)
    } catch (error) {
      answerWith(response, statusOf(error), reasonOf(error))
    }
  }

  async function reach({ host, port }: Target): Promise<Socket> {
    const { isAllowed, reason } = await judge(host, port)
    if (!isAllowed) throw new Refused(403, reason ?? `${host}:${port} is not allowed.`)
    return dial(await addressOf(host), port)
  }
}

interface Target {
  readonly host: string
  readonly port: number
}

function targetOf(url: string, usualPort: number): Target | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, port } = new URL(url)
  return hostname === '' ? undefined : { host: bare(hostname), port: port === '' ? usualPort : Number(port) }
}

/**
 * This machine, also at the addresses of its network interfaces, and its neighbours on the link, where cloud providers keep
 * credentials.
 */
function isNear({ address }: LookupAddress): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return ['machine', 'link'].includes(zoneOf(address)) || own.some((each) => each.address === address)
}

/** A person who allows a name does not mean this machine, so the name must not lead here. An allowed address may. */
async function addressOf(host: string): Promise<string> {
  if (isIP(host) !== 0 || host === 'localhost') return host
  const found = await lookup(host, { all: true }).catch(() => {
    throw new Refused(502, `${host} is not known to the name servers of this machine.`)
  })
  const far = found.find((each) => !isNear(each))
  if (far) return far.address
  throw new Refused(403, `${host} leads to this machine or its link. Allow the address itself if that is meant.`)
}

async function dial(host: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ host, port, timeout: connectWithinMs })
  socket.once('connect', () => {
    socket.setTimeout(0)
    socket.off('error', reject)
    socket.on('error', () => socket.destroy())
    resolve(socket)
  })
  socket.once('timeout', () => socket.destroy(new Error(`no connection within ${connectWithinMs / 1000} seconds`)))
  socket.once('error', reject)
  return promise
}

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

function statusOf(error: unknown): number {
  return error instanceof Refused ? error.status : 502
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Answers with the reason, also in the status line: many programs show only that line. */
function refuse(client: Duplex, status: number, reason: string): void {
  const text = `Signalbox: ${reason}\n`
  const phrase = text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim()
  const head = `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n`
  client.end(head + text)
}

function answerWith(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`Signalbox: ${reason}\n`)
}

function listOf(header: string | undefined): readonly string[] {
  return header?.split(',').map((name) => name.trim().toLowerCase()) ?? []
}
