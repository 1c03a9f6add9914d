import type { NetworkInterfaceInfo } from 'node:os'
import { expect, test } from 'vitest'
import { addressFromElsewhere } from './address-from-elsewhere.ts'

const interfaces = {
  lo: [of('127.0.0.1', true), of('::1', true)],
  eth0: [of('fe80::1', false), of('2001:db8::5', false), of('192.168.1.5', false)],
}

test.each(['127.0.0.1', '::1', 'localhost', '127.0.0.9'])('a server on %s cannot be reached from elsewhere', (host) => {
  expect(addressFromElsewhere(host, interfaces)).toBeUndefined()
})

test.each(['192.168.1.7', 'hub.lan', '2001:db8::7'])('a server on %s is reached at that address', (host) => {
  expect(addressFromElsewhere(host, interfaces)).toBe(host)
})

test('a server on all addresses is reached at the first address of the machine, IPv4 before IPv6', () => {
  expect(addressFromElsewhere('0.0.0.0', interfaces)).toBe('192.168.1.5')
  expect(addressFromElsewhere('::', interfaces)).toBe('192.168.1.5')
  const onlySix = { eth0: interfaces.eth0.slice(0, 2) }
  expect(addressFromElsewhere('::', onlySix)).toBe('2001:db8::5')
  expect(addressFromElsewhere('0.0.0.0', onlySix)).toBeUndefined()
  expect(addressFromElsewhere('0.0.0.0', { lo: interfaces.lo })).toBeUndefined()
})

function of(address: string, internal: boolean): NetworkInterfaceInfo {
  const shared = { address, internal, mac: '00:00:00:00:00:00', cidr: null, netmask: '' }
  return address.includes(':') ? { ...shared, family: 'IPv6', scopeid: 0 } : { ...shared, family: 'IPv4' }
}
