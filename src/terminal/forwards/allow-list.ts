/** The hosts that a sandbox may reach without a rule of the policy. Pure. */
import { isLoopback } from '../../base/loopback.ts'

/** The ports of an entry that names none. */
const usualPorts: ReadonlySet<number> = new Set([80, 443])

export function isListed(allow: readonly string[], host: string, port: number): boolean {
  return allow.some((entry) => {
    const { name = '', own } = /^(?<name>\[.*\]|[^:]*)(?::(?<own>\d+))?$/.exec(entry)?.groups ?? {}
    const isPort = own === undefined ? usualPorts.has(port) : port === Number(own)
    return isPort && matches(name.toLowerCase(), host)
  })
}

function matches(name: string, host: string): boolean {
  if (name.startsWith('*.')) return host.endsWith(name.slice(1)) && host.length > name.length - 1
  // All names of this machine match each other, since its ports are reached at its address.
  return bare(name) === host || (isLoopback(bare(name)) && isLoopback(host))
}

/** A host as it is compared: lowercase, without brackets and without the dot at the end. */
export function bare(host: string): string {
  return host.toLowerCase().replaceAll(/[[\]]/g, '').replace(/\.$/, '')
}
