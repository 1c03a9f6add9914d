/**
 * Against DNS rebinding: a page of another site can make a browser send requests here under its own name, but it cannot
 * choose Host and Origin. Pure, since a mistake here opens the hub to every website.
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
  return name !== undefined && isNameAllowed(name, header, rules)
}

/** Programs send no Origin; browsers always do, and then it must be a page of ours or one that was allowed. */
export function isOriginAllowed(originHeader: string | undefined, rules: OriginRules): boolean {
  if (originHeader === undefined || rules.allowedOrigins.includes(originHeader)) return true
  const origin = URL.parse(originHeader)
  return origin !== null && /^https?:$/.test(origin.protocol) && isNameAllowed(origin.hostname, origin.host, rules)
}

/** An allowed host with a port stands for that port, one without for all. */
function isNameAllowed(name: string, nameAndPort: string, { host, allowedHosts }: OriginRules): boolean {
  if (loopbackNames.includes(name) || name === bracketed(host)) return true
  const allowed = allowedHosts.map((entry) => entry.toLowerCase())
  if (allowed.includes(name) || allowed.includes(nameAndPort)) return true
  // Rebinding needs a name; whoever listens on all addresses is reached by any of them.
  return !isLoopback(host) && isIP(name.replaceAll(/^\[|\]$/g, '')) !== 0
}

function hostNameOf(header: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.exec(header)?.[1]
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
