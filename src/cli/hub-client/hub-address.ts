/** Finds the hub that the CLI talks to, and the token. Remembers the source of the token for error messages. */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { HubError } from '../../base/hub-error.ts'
import { isRecord } from '../../base/is-record.ts'
import { isLoopback } from '../../base/loopback.ts'
import { connectableHost, originOf } from '../../base/origin-of.ts'
import { hubSocket } from '../../base/socket-places.ts'
import { CliError } from '../command/cli-error.ts'
import { reasonOf } from '../command/system-error.ts'

export interface HubAddress {
  readonly url: string
  /** The socket of the hub in the data directory. If it is set, requests go through it and not to the port of the URL. */
  readonly socket?: string
  readonly token?: string
  /** The source of the token, or the place where none was found. */
  readonly tokenFrom: string
}

/**
 * The token file is only for the hub of its data directory, and only the socket proves that this hub answers: any user of
 * the machine can listen on its port while it is down. So only a token that was named for the call goes over TCP.
 */
export function findHub(
  config: Config,
  given: { url?: string | undefined; tokenFile?: string | undefined },
): HubAddress {
  const named = given.url ?? config.url
  const url = endpointOf(named ?? runningHub(config.home)?.url ?? addressOf(config))
  const token = namedToken(config, given.tokenFile)
  const socket = given.url === undefined ? socketOfSession(config) : undefined
  if (socket !== undefined) return { url, socket, ...(token ?? { tokenFrom: 'SIGNALBOX_TOKEN' }) }
  const isNamed = named !== undefined && (token !== undefined || !isOwnHub(url, config))
  if (isNamed) return { url, ...(token ?? { tokenFrom: 'SIGNALBOX_TOKEN' }) }
  return { url, socket: hubSocket(config.home), ...(token ?? tokenOfHome(config.home)) }
}

/**
 * The hub's socket inside a session. An agent that runs as another user or in a sandbox cannot see the directory of the
 * socket and has only the URL. If it can see the directory and the socket is missing, the hub is down.
 */
function socketOfSession({ hubSocket: socket }: Config): string | undefined {
  if (socket === undefined) return undefined
  try {
    lstatSync(socket)
    return socket
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return error.code === 'EACCES' || !existsSync(dirname(socket)) ? undefined : socket
  }
}

/** Whether a URL is the address of the hub of the data directory. */
function isOwnHub(url: string, config: Config): boolean {
  const own = [runningHub(config.home)?.url, config.port === 0 ? undefined : addressOf(config)]
  return own.some((each) => each !== undefined && isSameServer(new URL(endpointOf(each)), new URL(url)))
}

function isSameServer(own: URL, named: URL): boolean {
  const isSameHost = own.hostname === named.hostname || (isLoopback(own.hostname) && isLoopback(named.hostname))
  // A hub with a certificate also answers its own machine without TLS.
  const isSpoken = own.protocol === named.protocol || own.protocol === 'https:'
  return isSpoken && own.port === named.port && isSameHost
}

export interface RunningHubFile {
  readonly url: string
  readonly pid: number
}

/** Reads the file of the running hub. A killed hub leaves its file behind, so this checks the process too. */
export function runningHub(home: string): RunningHubFile | undefined {
  const text = readIfExists(join(home, 'hub.json'))
  if (text === undefined) return undefined
  const { url, pid } = parsed(text)
  const isWhole = typeof url === 'string' && URL.canParse(url) && Number.isInteger(pid) && Number(pid) > 0
  return isWhole && isAlive(Number(pid)) ? { url, pid: Number(pid) } : undefined
}

type FoundToken = Pick<HubAddress, 'token' | 'tokenFrom'>

/** If SIGNALBOX_TOKEN is set, the token file is not read: a session must never use a person's token by accident. */
function namedToken(config: Config, tokenFile: string | undefined): FoundToken | undefined {
  if (tokenFile !== undefined) {
    const token = readToken(tokenFile)
    if (token === undefined)
      throw new CliError(
        'unauthorized',
        `There is no token in ${tokenFile}. Write one into it, or leave --token-file out.`,
      )
    return { token, tokenFrom: tokenFile }
  }
  return config.token === undefined ? undefined : { token: config.token, tokenFrom: 'SIGNALBOX_TOKEN' }
}

function tokenOfHome(home: string): FoundToken {
  const path = join(home, 'token')
  const token = readToken(path)
  return token === undefined ? { tokenFrom: path } : { token, tokenFrom: path }
}

function readToken(path: string): string | undefined {
  return readIfExists(path)?.trim() || undefined
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw new CliError(
      'unauthorized',
      `The file ${path} cannot be read: ${reasonOf(error)}. Check its owner and its mode.`,
      {
        cause: error,
      },
    )
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** People write the address of the hub. Its endpoint is at /mcp. */
function endpointOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CliError('usage', `"${url}" is not the URL of a hub. Write it like http://127.0.0.1:7420/mcp.`)
  }
  const endpoint = new URL(url)
  if (endpoint.pathname === '/') endpoint.pathname = '/mcp'
  if (endpoint.hostname === '[::]') endpoint.hostname = '[::1]'
  else endpoint.hostname = connectableHost(endpoint.hostname)
  endpoint.hash = ''
  return endpoint.href
}

function addressOf({ host, port, home, tlsCert }: Config): string {
  if (port === 0) {
    throw new CliError(
      'unreachable',
      `No hub runs in ${home}, and the configured port is "any". Start the hub with "signalbox up".`,
    )
  }
  return `${originOf(tlsCert === undefined ? 'http' : 'https', host, port)}/mcp`
}

/** The endpoint lists every tool, not only the essential ones. */
export function withAllToolsets(address: HubAddress): HubAddress {
  const url = new URL(address.url)
  url.searchParams.set('toolsets', 'all')
  return { ...address, url: url.href }
}

export function refusedToken({ url, socket, token, tokenFrom }: HubAddress, cause?: unknown): CliError {
  const why =
    token !== undefined
      ? `does not accept the token of ${tokenFrom}: it is unknown, expired or revoked. Issue another with "signalbox token issue", or restart the hub, which writes a valid token into its own token file.`
      : socket === undefined
        ? 'needs a token. Set SIGNALBOX_TOKEN, or name a file with --token-file. The token file of a data directory is only for the hub of that directory.'
        : `needs a token, and there is none in ${tokenFrom}. Set SIGNALBOX_TOKEN, or name the data directory of that hub with --home.`
  return new CliError('unauthorized', `The hub at ${url} ${why}`, { cause })
}

export function unsafeSocket(fault: HubError): CliError {
  const message = `The token was not sent: ${fault.message} Another program may answer there.`
  return new CliError('unauthorized', message, { cause: fault })
}
