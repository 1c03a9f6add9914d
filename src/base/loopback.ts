import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can reach a server on that host. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  if (family === 0) return host === 'localhost' || host.endsWith('.localhost')
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4')
}
