import { expect, test } from 'vitest'
import { isPrivateAddress } from './private-address.ts'

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '192.168.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '255.255.255.255',
  '::1',
  '::',
  'fd00::1',
  'fe80::1',
  '::ffff:127.0.0.1',
])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true))

test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])('%s is public', (address) =>
  expect(isPrivateAddress(address)).toBe(false),
)
