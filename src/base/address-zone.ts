/**
 * Classifies addresses by who can reach them: the one list for all connections that the hub makes for others. The wider the
 * network an upstream is on, the fewer addresses it may send the hub to.
 */
import { BlockList, isIP } from 'node:net'

/** From the widest to the narrowest. `machine` means this machine only. */
export const zones = ['internet', 'network', 'link', 'machine'] as const
export type Zone = (typeof zones)[number]

/** IPv4-mapped IPv6 addresses match the IPv4 rules. */
const ranges: readonly (readonly [Zone, readonly string[]])[] = [
  // This host, loopback, special use, multicast, reserved; for IPv6 also tunnels that hide an IPv4 address.
  [
    'machine',
    ['0.0.0.0/8', '127.0.0.0/8', '192.0.0.0/24', '224.0.0.0/4', '240.0.0.0/4'].concat([
      '::/96',
      '64:ff9b:1::/48',
      '100::/64',
      '2001::/23',
      '2002::/16',
      '::ffff:0:0:0/96',
      'ff00::/8',
    ]),
  ],
  // Link-local, and the addresses of cloud metadata services.
  ['link', ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128']],
  // Private networks, carrier-grade NAT, benchmarking.
  [
    'network',
    ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', 'fc00::/7', 'fec0::/10'],
  ],
]

const lists = ranges.map(([zone, subnets]) => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', length] = subnet.split('/')
    const isIpv4 = isIP(address) === 4
    list.addSubnet(address, Number(length), isIpv4 ? 'ipv4' : 'ipv6')
    // The same range as NAT64 maps it.
    if (isIpv4) list.addSubnet(`64:ff9b::${address}`, 96 + Number(length), 'ipv6')
  }
  return { zone, list }
})

export function zoneOf(address: string): Zone {
  const family = isIP(address)
  if (family === 0) return 'machine'
  const plain = address.split('%', 1).join()
  return lists.find(({ list }) => list.check(plain, family === 4 ? 'ipv4' : 'ipv6'))?.zone ?? 'internet'
}

/** Returns the wider of two zones. */
export function fartherOf(one: Zone, other: Zone): Zone {
  return zones.indexOf(one) < zones.indexOf(other) ? one : other
}
