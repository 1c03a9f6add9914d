/**
 * Protects against DNS rebinding: a page of another site can make a browser send requests here under the site's own
 * name, but it cannot choose Host and Origin. Pure functions, since a mistake here opens the hub to every website.
 */
import { isIP } from 'node:net'
import { isLoopback } from '../base/loopback.ts'

export interface OriginRules {
  /** The address the hub listens on. */
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

export function isHostAllowed(hostHeader: string | undefined, rules: OriginRules): boolean {
  const header = hostHeader?.toLowerCase() ?? ''
  const name = hostNameOf(header)
  if (name === undefined) return false
  // Rebinding needs a name. A hub behind port forwarding does not know all its addresses.
  return isNameAllowed(name, header, rules) || (!isLoopback(rules.host) && isBareAddress(name))
}

/**
 * Programs send no Origin, browsers always do. It must be the hub's own page or an allowed origin. On a bare IP address a
 * page is the hub's own if it was loaded from the address that it calls.
 */
export function isOriginAllowed(
  originHeader: string | undefined,
  hostHeader: string | undefined,
  rules: OriginRules,
): boolean {
  if (originHeader === undefined || rules.allowedOrigins.includes(originHeader)) return true
  const origin = URL.parse(originHeader)
  if (origin === null || !/^https?:$/.test(origin.protocol)) return false
  if (isNameAllowed(origin.hostname, origin.host, rules)) return true
  return isBareAddress(origin.hostname) && origin.host === hostHeader?.toLowerCase()
}

/** An allowed host with a port allows that port, one without a port allows all. */
function isNameAllowed(name: string, nameAndPort: string, { host, allowedHosts }: OriginRules): boolean {
  if (loopbackNames.includes(name) || name === bracketed(host)) return true
  const allowed = allowedHosts.map((entry) => entry.toLowerCase())
  return allowed.includes(name) || allowed.includes(nameAndPort)
}

function isBareAddress(name: string): boolean {
  return isIP(name.replaceAll(/^\[|\]$/g, '')) !== 0
}

function hostNameOf(header: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.exec(header)?.[1]
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
