import { describe, expect, test } from 'vitest'
import { fartherOf, zoneOf } from './address-zone.ts'

describe('the zone of an address', () => {
  test.each([
    [
      'machine',
      '127.0.0.1',
      '127.255.0.9',
      '0.0.0.0',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
    ],
    [
      'machine',
      '255.255.255.255',
      '224.0.0.1',
      'ff02::1',
      '::127.0.0.1',
      '2002:7f00:1::',
      '2001::1',
      '2001:20::1',
      '::ffff:0:7f00:1',
      '64:ff9b:1::1',
      'no address',
    ],
    [
      'link',
      'fd00:ec2::254',
      '169.254.169.254',
      'fe80::1',
      'fe80::1%eth0',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
    ],
    [
      'network',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '100.127.255.255',
      '198.18.0.1',
      'fec0::1',
    ],
    ['network', 'fc00::1', 'fd12:3456::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
    [
      'internet',
      '8.8.8.8',
      '172.32.0.1',
      '100.128.0.1',
      '11.0.0.1',
      '2606:4700::1111',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
    ],
  ] as const)('is "%s" for %s, %s and others', (zone, ...addresses) => {
    for (const address of addresses) expect([address, zoneOf(address)]).toEqual([address, zone])
  })
})

test('the wider of two zones is the one that more machines can reach', () => {
  expect(fartherOf('machine', 'internet')).toBe('internet')
  expect(fartherOf('network', 'link')).toBe('network')
})
