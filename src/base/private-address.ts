import { BlockList, isIP } from 'node:net'

const networks = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['64:ff9b::', 32, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
] as const

/** Also matches IPv4 addresses that are written as IPv6. */
const closed = new BlockList()
for (const [network, prefix, family] of networks) closed.addSubnet(network, prefix, family)

/** Whether an IP address belongs to this machine or to a private network, and not to the internet. */
export function isPrivateAddress(address: string): boolean {
  return closed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
