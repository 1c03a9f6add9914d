import { expect, test } from 'vitest'
import { isFromThisMachine } from './tls-port.ts'

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.2', '127.0.0.1'],
  ['::1', '::1'],
  ['::ffff:127.0.0.1', '::ffff:127.0.0.1'],
  ['192.168.1.5', '192.168.1.5'],
  // A unix socket has no addresses.
  [undefined, undefined],
])('a connection from %s to %s stays on this machine', (remoteAddress, localAddress) => {
  expect(isFromThisMachine({ remoteAddress, localAddress })).toBe(true)
})

test.each([
  ['192.168.1.6', '192.168.1.5'],
  ['::ffff:192.168.1.6', '::ffff:192.168.1.5'],
  ['2001:db8::6', '2001:db8::5'],
  // The socket has been closed meanwhile.
  [undefined, '192.168.1.5'],
])('a connection from %s to %s crosses the network', (remoteAddress, localAddress) => {
  expect(isFromThisMachine({ remoteAddress, localAddress })).toBe(false)
})
