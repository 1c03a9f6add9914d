/** Which hub the CLI talks to, and with which token. Each of both remembers where it was found, for the advice. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { messageOf } from '../base/hub-error.ts'
import { CliError } from './cli-error.ts'

export interface HubAddress {
  readonly url: string
  readonly token?: string
  /** Where the token stands, or where one was looked for in vain. */
  readonly tokenFrom: string
}

export function findHub(
  config: Config,
  given: { url?: string | undefined; tokenFile?: string | undefined },
): HubAddress {
  const url = endpointOf(given.url ?? config.url ?? runningHub(config.home)?.url ?? addressOf(config))
  return { url, ...findToken(config, given.tokenFile) }
}

export interface RunningHubFile {
  readonly url: string
  readonly pid: number
}

const hubFile = z.object({ url: z.url(), pid: z.number().int().positive() })

/** What the running hub wrote about itself. A hub that was killed leaves its file behind, hence the look at the process. */
export function runningHub(home: string): RunningHubFile | undefined {
  const text = readIfThere(join(home, 'hub.json'))
  if (text === undefined) return undefined
  const read = hubFile.safeParse(parsed(text))
  return read.success && isAlive(read.data.pid) ? read.data : undefined
}

/** With SIGNALBOX_TOKEN set, the token file stays closed: a session must never act with a person's token by accident. */
function findToken(config: Config, tokenFile: string | undefined): Omit<HubAddress, 'url'> {
  if (tokenFile !== undefined) {
    const token = readToken(tokenFile)
    if (token === undefined)
      throw new CliError(
        'unauthorized',
        `There is no token in ${tokenFile}: put one there, or leave --token-file away.`,
      )
    return { token, tokenFrom: tokenFile }
  }
  if (config.token !== undefined) return { token: config.token, tokenFrom: 'SIGNALBOX_TOKEN' }
  const path = join(config.home, 'token')
  const token = readToken(path)
  return token === undefined ? { tokenFrom: path } : { token, tokenFrom: path }
}

function readToken(path: string): string | undefined {
  return readIfThere(path)?.trim() || undefined
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw new CliError('unauthorized', `${path} cannot be read: ${messageOf(error)}. Is it yours?`, { cause: error })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It lives, but belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** People name the hub; its endpoint is at /mcp. */
function endpointOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CliError('usage', `"${url}" is no URL of a hub: write it like http://127.0.0.1:7420/mcp.`)
  }
  const endpoint = new URL(url)
  if (endpoint.pathname === '/') endpoint.pathname = '/mcp'
  // "All addresses" can be listened on, not dialled.
  if (endpoint.hostname === '0.0.0.0') endpoint.hostname = '127.0.0.1'
  if (endpoint.hostname === '[::]') endpoint.hostname = '[::1]'
  endpoint.hash = ''
  return endpoint.href
}

function addressOf({ host, port, home }: Config): string {
  if (port === 0) {
    throw new CliError(
      'unreachable',
      `No hub runs in ${home}, and the configured port is "any": start it with "signalbox up".`,
    )
  }
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/mcp`
}
